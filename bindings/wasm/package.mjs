// The npm package as its users see it: node package.mjs PACKAGE (cargo xtask same-bits calls
// it). Names are those of the Python package, numbers those of closed forms.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const root = new URL("../../", import.meta.url).pathname;
const kreisel = await import(pathToFileURL(join(folder, "index.js")).href);
const { World, Body, Joint, Motor, Item, KreiselError, complete, load, parse } =
  kreisel;
const bytes = (path) => readFileSync(join(folder, path));
await kreisel.default({ module_or_path: bytes("kreisel_bg.wasm") });
const near = (a, b, within, what) =>
  assert.ok(Math.abs(a - b) <= within, `${what}: ${a} is not ${b}`);

// a pendulum that is let go from the horizontal: its speed at the bottom, from its energy
const w = new World({ step: 0.001, title: "arm" });
const arm = w.add_body({
  name: "arm",
  shape: { box: [1, 0.1, 0.1] },
  mass: 2,
  position: [0.5, 0, 0],
});
const pivot = w.add_joint({
  name: "pivot",
  type: "hinge",
  bodies: ["world", "arm"],
  axis: [0, 1, 0],
});
assert.ok(arm instanceof Body && pivot instanceof Joint);
assert.deepEqual(
  [w.names("body"), w.title, w.step_size],
  [["arm"], "arm", 0.001],
);
// J = m (1 + 0.01)/12 + m/4 about the pivot, m g/2 = J w²/2
const J = (2 * 1.01) / 12 + 2 / 4;
while (pivot.angle < Math.PI / 2 && w.time < 2) w.step();
near(pivot.angle_rate, Math.sqrt((2 * 9.81) / J), 2e-2, "rate at the bottom");
near(
  w.measure("energy.total") - w.energy.total,
  0,
  1e-12,
  "energy in two ways",
);
assert.ok(
  w.report.ok && w.report.worst[0] === "pivot" && w.report.worst[1] <= 1e-6,
);

// properties by name, set and refused as in Python
assert.equal(arm.mass, 2);
arm.mass = 3;
assert.equal(w.body("arm").mass, 3);
pivot.limits.angle.max = 2.5;
assert.equal(w.joint("pivot").get("limits.angle.max"), 2.5);
w.settings.gravity = [0, 0, -1.62];
assert.deepEqual([...w.settings.gravity], [0, 0, -1.62]);
const refused = (act, words) =>
  assert.throws(
    act,
    (e) => e instanceof KreiselError && words.test(e.message),
    String(words),
  );
refused(() => w.body("amr"), /no body "amr"; did you mean "arm"/);
refused(() => arm.get("masss"), /did you mean "mass"/);
refused(() => arm.colour, /did you mean "color"/);
refused(() => (arm.mass = -1), /mass/);
refused(() => (pivot.gap = 1), /measured/);
refused(() => w.run(-1), /from now/);
refused(
  () => w.add_body({ name: "x", shape: { ball: 1 } }),
  /a shape needs a solid; one of box, sphere/,
);
assert.equal(arm.mass, 3);

// a motor, a run that is recorded, what is undone
const lift = w.add_motor({ name: "lift", joint: "pivot", effort: 1.5 });
assert.ok(lift instanceof Motor);
assert.equal(lift.effort, 1.5);
lift.effort = 2;
const run = w.run(0.01, {
  record: ["lift.effort", "arm.position"],
  every: 0.002,
});
assert.deepEqual(
  [...run.names],
  ["time", "lift.effort", "arm.position.x", "arm.position.y", "arm.position.z"],
);
// an effort has the unit of its joint, which a recording leaves open
assert.deepEqual([...run.units], ["s", "", "m", "m", "m"]);
assert.equal(run.column("time").length, 6);
near(run.column("lift.effort").at(-1), 2, 1e-12, "effort");
near(pivot.motor.effort_now, 2, 1e-12, "effort of the joint’s motor");
assert.deepEqual(
  [...run.column("arm.position.x").slice(-1)],
  [arm.position[0]],
);
assert.equal(w.poses.length, 7);
w.remove(lift);
assert.deepEqual(w.names("motor"), []);
w.apply({ do: "undo" });
assert.deepEqual(w.names("motor"), ["lift"]);

// impulses and forces: Δv = J/m, and F h/m
const free = new World({ step: 0.01, gravity: [0, 0, 0] });
const ball = free.add_body({ name: "ball", shape: { sphere: 0.1 }, mass: 4 });
ball.apply_impulse([2, 0, 0]);
ball.apply_force([0, 8, 0]);
free.step();
near(ball.velocity[0], 0.5, 1e-12, "impulse");
near(ball.velocity[1], 0.02, 1e-12, "force");
ball.position = [1, 2, 3];
assert.deepEqual([...ball.position], [1, 2, 3]);

// the saved world stands where this one stands
const again = await parse(free.save_text());
assert.equal(again.state_hash, free.state_hash);

// a robot needs the whole engine, which is fetched: here by hand, since Node fetches no files
await complete({ module_or_path: bytes("full/kreisel_bg.wasm") });
const robot = readFileSync(join(root, "scenes/robots/arm.xml"), "utf8");
const model = await load("arm.xml", { "arm.xml": robot });
assert.ok(model.names("joint").length > 0 && model.step().ok);
const scripted = readFileSync(
  join(root, "scenes/scripts/bang-bang.toml"),
  "utf8",
);
assert.ok((await parse(scripted)).step(10).time > 0);

// every name of Python's bodies, joints and motors is here, but for what is named in the README
const stubs = readFileSync(
  join(root, "bindings/python/python/kreisel/_native.pyi"),
  "utf8",
);
const others = new Set(["item_kind", "point"]);
for (const [kind, known] of Object.entries({ Item, Body, Joint, Motor })) {
  const text = new RegExp(
    `class ${kind}\\b[^\\n]*:\\n((?:    [^\\n]*\\n|\\n)+)`,
  ).exec(stubs)[1];
  for (const [, name] of text.matchAll(/def ([a-z]\w*)\(/g))
    assert.ok(
      name in known.prototype || others.has(name),
      `${kind}.${name} is missing`,
    );
}
const builders = readFileSync(
  join(root, "bindings/python/python/kreisel/_builders.py"),
  "utf8",
);
const types = readFileSync(join(folder, "properties.d.ts"), "utf8");
for (const [, name] of builders.matchAll(/def (add_\w+)\(/g)) {
  const makes = types.includes(`${name}(`);
  assert.equal(
    makes,
    name in World.prototype,
    `${name}: types and methods differ`,
  );
}
console.log("the npm package does what its README says");
