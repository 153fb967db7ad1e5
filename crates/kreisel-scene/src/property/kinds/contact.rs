//! `[contact]` and the pairs of materials.

use super::plugin::{self, Parameters};
use crate::property::codec::{Count, Flag, Listed, Nested, Number, OrNone, Text, WordOf};
use crate::property::table_macro::table;
use kreisel_dynamics::impact::MicroRule;
use kreisel_dynamics::{
    Cone, ContactMode, ContactSettings, ContactTime, ImpactLaw, Iteration, PairMaterial, Precision,
    Rule, bounds,
};

table! {
    /// How collisions and contacts are resolved. Every key has a default.
    static CONTACT: ContactSettings = "contact", "[contact]", Section;
    blank ContactSettings::default();
    check |it, _| plugin::check(&it.plugin);
    {
    /// all contacts of a step together, or one collision at a time with exact flight in between (no
    /// joints, springs or motors)
    mode: WordOf<ContactMode> = it.mode;
    /// bodies that meet during a step end it in touch, or the step is cut where they meet
    time: WordOf<ContactTime> = it.time;
    /// law of impact
    law: WordOf<ImpactLaw> = it.law;
    /// error that the position solve may leave
    tolerance: Number = it.tolerance => .unit("m").bound(bounds::TOLERANCE);
    /// most sweeps of the position solve; default 40, more in small islands
    max_sweeps: OrNone<Count> = it.max_sweeps => .within(1.0, 1e6);
    /// most sweeps of the velocity solve in a step
    velocity_sweeps: Count = it.velocity_sweeps => .within(1.0, 1e6);
    /// shapes that are closer touch; slower than a fall through this distance is rest
    touch: Number = it.touch => .unit("m").positive();
    /// fastest separation of bodies that overlap
    push_speed: Number = it.push_speed => .unit("m/s").positive();
    /// a fast step in which bodies come to overlap by more is made again (small bodies: by a
    /// fiftieth of their size)
    overlap: Number = it.overlap => .unit("m").positive();
    /// whether groups of bodies that touch and hardly move (1 mm in 0.5 s) stand still until
    /// something touches them
    sleep: Flag = it.sleep;
    /// sweeps after which contacts that are not solved yet are solved layer by layer from the
    /// ground upwards (shock propagation); 0 is never
    shock: Count = it.shock => .within(0.0, 1e6);
    /// the position solve starts from the last step and is extrapolated from sweep to sweep, or it
    /// is as the thesis has it, without both (slow; for comparison)
    iteration: WordOf<Iteration> = it.iteration;
    /// sweeps over large heaps of bodies of similar mass (256 contact regions and more, 1 : 100)
    /// with tolerances from 1e-6 on may use single precision for changes of velocities, or all is
    /// in double precision
    precision: WordOf<Precision> = it.precision;
    /// friction by the sum of the normal impulses, or by the sum of their changes as the thesis
    /// prints it (stops bodies too early; for comparison)
    cone: WordOf<Cone> = it.cone;
    /// mode "event": most collisions and checks in a step
    max_events: Count = it.max_events => .within(1.0, 1e9);
    /// mode "event": slow collisions reverse the velocity if the impulse, or the velocity, lies in
    /// the friction cone
    micro: WordOf<MicroRule> = it.micro;
    /// how two coefficients of friction become one
    friction: WordOf<Rule> = it.friction;
    /// how two restitutions become one
    restitution: WordOf<Rule> = it.restitution;
    /// the name under which the program has registered a law for the coefficients of two
    /// materials, which has the last word; default none. A scene never loads code by itself
    plugin: OrNone<Text> = {
        get: |it| Some(Some(it.plugin.name().to_owned()).filter(|n| !n.is_empty())),
        set: |it, x| it.plugin = it.plugin.with_name(x.unwrap_or_default())
    };
    /// numbers for that law; default those that it declares
    parameters: Parameters = {
        get: |it| Some(it.plugin.parameters().to_vec()),
        set: |it, x| it.plugin = it.plugin.with_parameters(x)
    } => .with("plugin");
    /// coefficients of two named materials; those of included files stay
    pair: Listed<Nested<PairMaterial>, 0, 100_000> = it.pairs;
    }
}

table! {
    /// Coefficients of two named materials, instead of what the rules give.
    static MATERIAL_PAIR: PairMaterial = "contact-pair", "[[contact.pair]]", Nested;
    blank PairMaterial { between: Default::default(), restitution: None, friction: None, static_friction: None };
    {
    /// the materials, as `material` of the bodies names them
    between: Listed<Text, 2, 2> = it.between => .required();
    /// how much of the approach speed comes back; default by the rule
    restitution: OrNone<Number> = it.restitution => .within(0.0, 1.0);
    /// sliding friction; default by the rule
    friction: OrNone<Number> = it.friction => .not_negative();
    /// static friction; default `friction`
    static_friction: OrNone<Number> = it.static_friction => .not_negative();
    }
}
