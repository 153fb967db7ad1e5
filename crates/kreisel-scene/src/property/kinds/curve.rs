//! `[[curve]]`.

use crate::property::codec::{Listed, Text, Vector};
use crate::property::table_macro::table;
use kreisel_dynamics::Curve;

table! {
    /// A curve in space: two points make a line, three a parabola, more a cubic spline that starts
    /// and ends at its outer points.
    static CURVE: Curve = "curve", "[[curve]]", Item;
    blank Curve::new(Vec::new());
    {
    /// unique name; default "curve 1", …
    name: Text = it.name;
    /// control points
    points: Listed<Vector, 2, 1_000_000> = it.points => .unit("m").point().required().spread();
    }
}
