//! Contacts of shapes as one-sided elements (Wagner 2.4, 6.4; W-93 to W-104). The engine's contact
//! search finds the points; they stay the same during a step, their forces are found anew at every
//! evaluation (the thesis leaves it open).
//!
//! C = n·(P_A − P_B) − r_A − r_B ≥ 0 with n fixed to the body whose face touches, so that C'' is
//! exact. Of a ball P is the centre and r the radius: a ball that rolls keeps its gap. Between two
//! balls C = |P_A − P_B| − r_A − r_B.
//!
//! Friction is not in the thesis: two rows across n that stop the sliding within a step, bounded by
//! µ times the normal force; rolling and spinning resistance are rows of the same kind on the
//! relative angular velocity, across n and along it, bounded by their levers times the normal
//! force.

use super::advance::Hit;
use super::element::{Cones, Hold, Owner, Writer};
use super::machine::{Machine, Source};
use crate::Lock;
use crate::constraint::second::{Frame, Jet, Jet3, TINY};
use crate::contact::{Contacts, Kind, Surface};
use crate::lanes::F4;
use crate::math::{Vec3, basis};
use crate::model::Model;
use std::sync::Arc;

/// A pair of opposite points of two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Number of the manifold, and of the point in it.
    pub place: [u32; 2],
    slots: [u32; 2],
    /// From the centres of mass, in principal frames.
    points: [Vec3; 2],
    /// Radii of balls, zero for points of a surface.
    radii: [f64; 2],
    /// The body that the normal is fixed to; none between balls.
    face: Option<usize>,
    /// The normal in that body's frame.
    normal: Vec3,
    pub restitution: f64,
    surface: Surface,
}

impl Touch {
    pub fn rows(&self) -> usize {
        let count = |x: f64, rows: usize| if x > 0.0 { rows } else { 0 };
        1 + count(self.surface.sticking, 2)
            + count(self.surface.rolling, 2)
            + count(self.surface.spinning, 1)
    }

    fn rubs(&self) -> bool {
        self.surface.sticking > 0.0
    }

    /// Normal from the second to the first body, its row's function, and the points.
    fn gap(&self, frames: [&Frame; 2]) -> (Vec3, Jet, [Vec3; 2]) {
        let end = |k: usize| {
            let f = frames[k];
            let turning = Jet3::turning(f.r * self.points[k], f.w);
            Jet3 { x: f.x + turning.x, d: f.v + turning.d, dd: turning.dd }
        };
        let (a, b) = (end(0), end(1));
        let d = Jet3::sum(a, b, -1.0);
        let (n, mut c) = match self.face {
            Some(k) => {
                let n = Jet3::turning(frames[k].r * self.normal, frames[k].w);
                (n.x, Jet3::dot(&n, &d))
            }
            None => (if d.x.length() > TINY { d.x.normalize() } else { Vec3::Z }, d.length()),
        };
        c.x -= self.radii[0] + self.radii[1];
        (n, c, [a.x, b.x])
    }

    /// Directions of friction.
    fn tangents(&self, n: Vec3) -> [Vec3; 2] {
        let m = basis(n);
        [m.y_axis, m.z_axis]
    }

    pub fn write(&self, frames: &[Frame], out: &mut Writer<'_>) {
        let own = self.slots.map(|s| &frames[s as usize]);
        let (n, c, ends) = self.gap(own);
        out.begin(c);
        // the force acts at the point of the body that the normal is not fixed to
        let at = match self.face {
            Some(1) => [ends[0]; 2],
            Some(_) => [ends[1]; 2],
            None => ends,
        };
        out.add(self.slots[0], n, (at[0] - own[0].x).cross(n), Lock::None);
        out.add(self.slots[1], -n, -(at[1] - own[1].x).cross(n), Lock::None);
        out.at += 1;
        let tangents = self.tangents(n);
        if self.rubs() {
            let touch = if self.radii[0] > 0.0 || self.face == Some(1) {
                ends[0] - n * self.radii[0]
            } else {
                ends[1] + n * self.radii[1]
            };
            let arms = [touch - own[0].x, touch - own[1].x];
            let slip = own[0].v + own[0].w.cross(arms[0]) - own[1].v - own[1].w.cross(arms[1]);
            for t in tangents {
                out.begin(Jet { x: 0.0, d: slip.dot(t), dd: 0.0 });
                out.add(self.slots[0], t, arms[0].cross(t), Lock::None);
                out.add(self.slots[1], -t, -arms[1].cross(t), Lock::None);
                out.at += 1;
            }
        }
        let turning = own[0].w - own[1].w;
        let rolling = tangents.into_iter().filter(|_| self.surface.rolling > 0.0);
        for axis in rolling.chain(Some(n).filter(|_| self.surface.spinning > 0.0)) {
            out.begin(Jet { x: 0.0, d: turning.dot(axis), dd: 0.0 });
            out.add(self.slots[0], Vec3::ZERO, axis, Lock::None);
            out.add(self.slots[1], Vec3::ZERO, -axis, Lock::None);
            out.at += 1;
        }
    }
}

impl Machine {
    /// Makes the contacts at hand candidates for this step.
    pub fn meet(&mut self, model: &Model, contacts: &Contacts) {
        self.part();
        let stabilise = {
            let s = &model.settings.lagrange;
            [s.alpha, s.beta(), s.velocity_rate.unwrap_or(s.alpha)]
        };
        for (i, m) in contacts.memory.manifolds.iter().enumerate().filter(|(_, m)| !m.sensor) {
            let own = m.pair.map(|c| &contacts.colliders[c as usize]);
            let surface = contacts.surface(m.pair);
            let name =
                |slot: u32| model.bodies.iter().find(|b| b.0 == slot).map_or("", |b| &b.2.name);
            let title: Arc<str> =
                format!("contact of {} and {}", name(own[0].slot), name(own[1].slot)).into();
            let radius = own.map(|c| if let Kind::Sphere(r) = c.kind { r } else { 0.0 });
            // the normal turns with a face: with the second body unless that is a ball
            let face = match radius {
                [_, 0.0] => Some(1),
                [0.0, _] => Some(0),
                _ => None,
            };
            let turned = face.map_or(m.normal, |k| {
                let q = contacts.place(own[k].slot).r;
                q.transpose() * m.normal
            });
            for k in m.points() {
                let local = m.anchors(k);
                let points =
                    [0, 1].map(|s: usize| if radius[s] > 0.0 { own[s].offset } else { local[s] });
                let touch = Touch {
                    place: [i as u32, k as u32],
                    slots: own.map(|c| c.slot),
                    points,
                    radii: radius,
                    face,
                    normal: turned,
                    restitution: surface.restitution,
                    surface,
                };
                let hold = Hold::Contact(Cones::of(&surface));
                let owner = Owner::Contact([i as u32, k as u32]);
                if let Some(e) =
                    self.bodies.element(owner, &title, hold, &touch.slots, touch.rows(), stabilise)
                {
                    self.candidates.push((e, Source::Contact(touch)));
                }
            }
        }
    }

    /// Forgets the contacts of the last step.
    pub fn part(&mut self) {
        self.candidates.truncate(self.own_candidates);
        self.activate(&[]);
        self.struck.clear();
    }

    /// Remembers the impulses of an impact that was just solved.
    pub fn remember_impact(&mut self) {
        for (e, s) in self.elements.iter().zip(&self.sources) {
            if let Source::Contact(t) = s {
                let impulse = self.multipliers.lambda[e.row0];
                if impulse > 0.0 {
                    self.struck.push((t.place, impulse));
                }
            }
        }
    }

    /// Writes the impulses of a step of `h` into the manifolds that it was made with.
    pub fn tell_contacts(&self, contacts: &mut Contacts, hits: &[Hit], h: f64) {
        for m in &mut contacts.memory.manifolds {
            m.dragged = Vec3::ZERO;
            (m.kick, m.hold, m.approach) = (F4::ZERO, F4::ZERO, F4::ZERO);
        }
        for hit in hits {
            if let Owner::Contact([m, k]) = hit.owner {
                let approach = &mut contacts.memory.manifolds[m as usize].approach.0[k as usize];
                *approach = approach.min(-hit.speed);
            }
        }
        for &(place, impulse) in &self.struck {
            contacts.memory.manifolds[place[0] as usize].kick.0[place[1] as usize] += impulse;
        }
        for (e, s) in self.elements.iter().zip(&self.sources) {
            let Source::Contact(t) = s else { continue };
            let m = &mut contacts.memory.manifolds[t.place[0] as usize];
            let lambda = &self.multipliers.lambda[e.row0..e.row0 + e.rows];
            m.hold.0[t.place[1] as usize] = lambda[0] * h;
            let n = t.gap(t.slots.map(|s| &self.bodies.frames[s as usize])).0;
            if !t.rubs() {
                continue;
            }
            for (t, f) in t.tangents(n).iter().zip(&lambda[1..]) {
                m.dragged += *t * (f * h);
            }
        }
    }
}

impl crate::engine::Engine {
    /// Contacts for the step from the present state, as candidates of the machine.
    pub(super) fn lagrange_meet(&mut self, model: &Model, state: &crate::state::State, h: f64) {
        if !self.contacts.is_active(model) {
            self.lagrange.part();
            return;
        }
        self.contacts.look(state, h, model.gravity, self.edits == state.edits);
        self.lagrange.meet(model, &self.contacts);
    }
}
