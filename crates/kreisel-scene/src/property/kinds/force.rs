//! `[[force]]`.

use crate::property::Choice;
use crate::property::codec::{Number, OrNone, Ref, Text, Unlimited, Vector};
use crate::property::table_macro::table;
use crate::scene::Force;
use kreisel_dynamics::{BodyId, Vec3, bounds};

table! {
    /// An outer force or torque on a body, from one time to another.
    static FORCE: Force = "force", "[[force]]", Item;
    blank Force {
        name: String::new(),
        body: BodyId::WORLD,
        force: Vec3::ZERO,
        torque: Vec3::ZERO,
        at: None,
        from: 0.0,
        until: f64::INFINITY,
    };
    choices &[Choice::at_least_one(&["force", "torque"])];
    {
    /// unique name; default "force 1", …
    name: Text = it.name;
    /// the body
    body: Ref<BodyId> = it.body => .required();
    /// force in world coordinates
    force: Vector = it.force => .unit("N").direction();
    /// torque in world coordinates
    torque: Vector = it.torque => .unit("N m").direction();
    /// where the force acts, in the body's frame; default the centre of mass
    at: OrNone<Vector> = it.at => .unit("m").bound(bounds::POSITION);
    /// start
    from: Number = it.from => .unit("s");
    /// end; default never. A step counts when its start lies between the two
    until: Unlimited = it.until => .unit("s");
    }
}
