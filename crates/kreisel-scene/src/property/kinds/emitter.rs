//! `[[emitter]]`.

use crate::property::Fault;
use crate::property::codec::{Count, Flag, Number, Ref, Text, Unlimited, Vector};
use crate::property::table_macro::table;
use crate::scene::Emitter;
use kreisel_dynamics::{BodyId, Vec3, bounds};

table! {
    /// Makes copies of a body, one after the other; the body itself may be static and collide with
    /// nothing, its copies are dynamic and collide.
    static EMITTER: Emitter = "emitter", "[[emitter]]", Item;
    blank Emitter {
        name: String::new(),
        body: BodyId::WORLD,
        position: Vec3::ZERO,
        velocity: Vec3::ZERO,
        spread: Vec3::ZERO,
        every: 1.0,
        from: 0.0,
        until: f64::INFINITY,
        most: 100,
        seed: 0,
        emitted: 0,
        active: true,
    };
    check |it, _| {
        if it.body == BodyId::WORLD {
            return Err(Fault::new("the world cannot be copied").under("body"));
        }
        Ok(())
    };
    {
    /// unique name; default "emitter 1", …; copies are called by it and a number
    name: Text = it.name;
    /// the body that is copied
    body: Ref<BodyId> = it.body => .required();
    /// where copies begin
    position: Vector = it.position => .unit("m").bound(bounds::POSITION).point();
    /// with what velocity
    velocity: Vector = it.velocity => .unit("m/s").bound(bounds::POSITION).direction();
    /// largest deviation of the place along each axis, at random
    spread: Vector = it.spread => .unit("m").not_negative();
    /// time between two copies
    every: Number = it.every => .unit("s").within(1e-6, 1e9);
    /// time of the first
    from: Number = it.from => .unit("s");
    /// end; default never
    until: Unlimited = it.until => .unit("s");
    /// most copies
    most: Count = it.most => .within(0.0, 20_000.0);
    /// the same one gives the same deviations
    seed: Count = it.seed => .within(0.0, 4e9);
    /// copies that have been made already; written by the program
    emitted: Count = it.emitted => .within(0.0, 20_000.0);
    /// an emitter that is not active makes nothing
    active: Flag = it.active;
    }
}
