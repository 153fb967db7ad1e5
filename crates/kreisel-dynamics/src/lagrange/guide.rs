//! Rails and polygons as elements: rows over up to four bodies
//! ([`crate::constraint::guide_second`]).

use super::element::Writer;
use super::machine::Role;
use crate::Lock;
use crate::constraint::guide::{Guide, MAX_PLACES};
use crate::constraint::guide_second::GuideRow;
use crate::constraint::second::{Frame, Jet, Jet3};
use crate::joint::GuideRecord;
use crate::math::Vec3;

/// A guide with the bodies of its places.
#[derive(Clone, Debug)]
pub(crate) struct Rails {
    pub guide: Guide,
    pub slots: [u32; MAX_PLACES],
    /// From the centres of mass, in principal frames.
    locals: [Vec3; MAX_PLACES],
}

/// Which rows of a guide an element has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GuidePart {
    /// Those that hold the point.
    Hold,
    /// Its coordinate, or the distance from one edge.
    Coordinate { edge: Option<usize>, role: Role },
}

impl Rails {
    pub fn new(record: &GuideRecord) -> Self {
        let mut out = Self {
            guide: record.guide.clone(),
            slots: [0; MAX_PLACES],
            locals: [Vec3::ZERO; MAX_PLACES],
        };
        for k in 0..MAX_PLACES {
            // a rail has no fourth place: its first support stands in, with no share
            let (body, local) = record.carrier(if k < record.guide.places() { k } else { 1 });
            (out.slots[k], out.locals[k]) = (body.index, local);
        }
        out
    }

    fn places(&self, frames: &[Frame]) -> [Jet3; MAX_PLACES] {
        std::array::from_fn(|k| {
            let f = &frames[self.slots[k] as usize];
            let turning = Jet3::turning(f.r * self.locals[k], f.w);
            Jet3 { x: f.x + turning.x, d: f.v + turning.d, dd: turning.dd }
        })
    }

    /// Force and torque about the centre of mass of each place for a force of one along a row.
    fn shares(
        &self,
        frames: &[Frame],
        places: &[Jet3; MAX_PLACES],
        row: &GuideRow,
    ) -> [(u32, Vec3, Vec3); MAX_PLACES] {
        std::array::from_fn(|k| {
            let force = if k == 0 { row.e } else { row.e * -row.weights[k - 1] };
            (self.slots[k], force, (places[k].x - frames[self.slots[k] as usize].x).cross(force))
        })
    }

    /// The same along the coordinate, for motors.
    pub fn along(&self, frames: &[Frame]) -> [(u32, Vec3, Vec3); MAX_PLACES] {
        let places = self.places(frames);
        self.shares(frames, &places, &self.guide.second_coordinate(&places, None))
    }

    /// The coordinate with its rate.
    pub fn coordinate(&self, frames: &[Frame]) -> Jet {
        self.guide.second_coordinate(&self.places(frames), None).c
    }

    pub fn write(&self, part: GuidePart, velocity: bool, frames: &[Frame], out: &mut Writer<'_>) {
        let places = self.places(frames);
        let rows = match part {
            GuidePart::Hold => self.guide.second_rows(&places),
            GuidePart::Coordinate { edge, .. } => vec![self.guide.second_coordinate(&places, edge)],
        };
        for mut row in rows {
            if velocity {
                row.c = Jet { x: row.c.d, d: row.c.dd, dd: 0.0 };
            }
            if let GuidePart::Coordinate { role: Role::Limit { sign, bound, .. }, .. } = part {
                row.c = Jet { x: sign * (row.c.x - bound), d: sign * row.c.d, dd: sign * row.c.dd };
                row.e *= sign;
            }
            out.begin(row.c);
            for (slot, force, torque) in self.shares(frames, &places, &row) {
                out.add(slot, force, torque, Lock::None);
            }
            out.at += 1;
        }
    }
}
