//! From manifolds to rows: islands, colours, groups of four, and their coefficients, computed in four lanes.
//!
//! Everything is written in the bodies' own frames, where anchors are constant: with nₐ = Rᵀn a point's row is
//! I^−½ (p × nₐ). Friction acts at the centre of pressure, half way between the two bodies' ideas of it.

use super::collider::Collider;
use super::island::Touching;
use super::manifold::Manifold;
use super::material::Surface;
use super::rows::{BodyView, Cell, Group, IDLE};
use super::{ContactSettings, ContactTime, Contacts, Friction, NOWHERE, parts};
use crate::lanes::{F4, LANES, dot, mat_t_vec, mat_vec, times};
use crate::math::{Mat3, Vec3, basis};
use crate::simd::kernel;
use crate::system::{System, vec3};

impl Contacts {
    /// Islands, colours and rows for the manifolds at hand.
    pub(super) fn set_up(&mut self, systems: &[System], settings: &ContactSettings) {
        // layers and single impacts are found island by island
        let cut = settings.time == ContactTime::Fast && settings.shock == 0;
        let members = |s: u32| &systems[s as usize].slots[..];
        let touching = Touching {
            manifolds: &self.memory.manifolds,
            colliders: &self.colliders,
            active: &self.active,
            chain_of: &self.chain_of,
            places: &self.places,
            cut,
        };
        self.islands.build(touching, members);
        self.view(systems);
        let mut made = 0;
        for k in 0..self.islands.list.len() {
            let first = made;
            for part in self.islands.list[k].parts.clone() {
                made = self.group(part, first, made);
            }
            self.islands.list[k].groups = first..made;
        }
        // what stays of the last step is overwritten when the rows are filled
        self.groups.resize(made, Group::default());
        self.frictions.resize(made, Friction::default());
        let from = Sources {
            manifolds: &self.memory.manifolds,
            colliders: &self.colliders,
            views: &self.views,
            class: &self.class,
            classes: self.classes,
            table: &self.table,
        };
        let work = |groups: &mut [Group], frictions: &mut [Friction]| fill(groups, frictions, from);
        parts::each(&mut self.groups, &mut self.frictions, self.threads, &work);
        let cells = self.islands.slots.len();
        self.last.resize(cells, Cell::default());
        self.ahead.resize(cells, Cell::default());
        self.cells.resize(cells, Cell::default());
        self.reference.resize(cells, Cell::default());
        self.actual.resize(cells, Cell::default());
        self.ready = true;
        debug_assert!(self.groups.iter().all(|g| g.manifold != [IDLE; LANES]));
    }

    /// Colours the manifolds of a part and puts them into groups of four, from number `from` on; the island's begin at `first`.
    /// Returns the number of the next group.
    fn group(&mut self, part: usize, first: usize, from: usize) -> usize {
        let part = &mut self.islands.parts[part];
        let still = part.cells.start as u32;
        self.link.clear();
        for &m in &self.islands.order[part.manifolds.clone()] {
            let m = &self.memory.manifolds[m as usize];
            let cell = |c: u32| self.views[self.colliders[c as usize].slot as usize].cell.saturating_sub(still);
            self.link.push((m.pair.map(cell), m.count));
        }
        let numbers = &self.islands.order[part.manifolds.clone()];
        let groups = &mut self.groups;
        let mut begun = from;
        let made = self.coloring.group(part.cells.len(), &self.link, |i, g, l| {
            if groups.len() <= from + g {
                groups.resize(from + g + 1, Group::default());
            }
            for g in &mut groups[begun.min(from + g + 1)..=from + g] {
                (g.manifold, g.bodies, g.still, g.count) = ([IDLE; LANES], [[still; LANES]; 2], still, 0);
            }
            begun = begun.max(from + g + 1);
            groups[from + g].manifold[l] = numbers[i];
        });
        part.groups = from - first..from + made - first;
        from + made
    }

    /// What rows need to know of the bodies.
    fn view(&mut self, systems: &[System]) {
        let nothing = BodyView {
            cell: 0,
            x: Vec3::ZERO,
            r: Mat3::IDENTITY,
            inverse_root_mass: 0.0,
            inverse_root_inertia: Vec3::ZERO,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
        };
        self.views.resize(self.homes.len(), nothing);
        for (c, active) in self.colliders.iter().zip(&self.active) {
            let slot = c.slot as usize;
            let place = &self.places[slot];
            let mut view = BodyView { x: place.x, r: place.r, ..nothing };
            if self.homes[slot] != NOWHERE && *active {
                let (s, i) = self.homes[slot];
                let (g, l) = (&systems[s as usize].groups[i as usize / LANES], i as usize % LANES);
                view.cell = self.islands.cell[slot];
                view.inverse_root_mass = g.ism.0[l];
                view.inverse_root_inertia = vec3(&g.isi, l);
            } else if c.kinematic {
                [view.velocity, view.spin] = self.speeds[slot];
            }
            self.views[slot] = view;
        }
    }
}

/// What rows are made from.
#[derive(Clone, Copy)]
struct Sources<'a> {
    manifolds: &'a [Manifold],
    colliders: &'a [Collider],
    views: &'a [BodyView],
    class: &'a [u32],
    classes: usize,
    table: &'a [Surface],
}

/// Four bodies of one side, turned to lanes.
struct Side {
    x: [F4; 3],
    r: [F4; 9],
    root_mass: F4,
    root_inertia: [F4; 3],
    velocity: [F4; 3],
    spin: [F4; 3],
}

#[inline(always)]
fn set(v: &mut [F4; 3], l: usize, x: Vec3) {
    v[0].0[l] = x.x;
    v[1].0[l] = x.y;
    v[2].0[l] = x.z;
}

impl Side {
    const NONE: Self = Self {
        x: [F4::ZERO; 3],
        r: [F4::ZERO; 9],
        root_mass: F4::ZERO,
        root_inertia: [F4::ZERO; 3],
        velocity: [F4::ZERO; 3],
        spin: [F4::ZERO; 3],
    };

    #[inline(always)]
    fn put(&mut self, l: usize, b: &BodyView) {
        set(&mut self.x, l, b.x);
        for (k, c) in [b.r.x_axis, b.r.y_axis, b.r.z_axis].into_iter().enumerate() {
            self.r[3 * k].0[l] = c.x;
            self.r[3 * k + 1].0[l] = c.y;
            self.r[3 * k + 2].0[l] = c.z;
        }
        self.root_mass.0[l] = b.inverse_root_mass;
        set(&mut self.root_inertia, l, b.inverse_root_inertia);
        set(&mut self.velocity, l, b.velocity);
        set(&mut self.spin, l, b.spin);
    }

    /// I^−½ (p × d) for p and d in the bodies' frames.
    #[inline(always)]
    fn row(&self, p: [F4; 3], d: [F4; 3]) -> [F4; 3] {
        times(self.root_inertia, cross(p, d))
    }

    /// Velocity that kinematic bodies give to the points `p` of their frames.
    #[inline(always)]
    fn carried(&self, p: [F4; 3]) -> [F4; 3] {
        let turned = cross(self.spin, mat_vec(&self.r, p));
        [self.velocity[0] + turned[0], self.velocity[1] + turned[1], self.velocity[2] + turned[2]]
    }
}

#[inline(always)]
fn cross(a: [F4; 3], b: [F4; 3]) -> [F4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn minus(a: [F4; 3], b: [F4; 3]) -> [F4; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn negative(a: [F4; 3]) -> [F4; 3] {
    [-a[0], -a[1], -a[2]]
}

/// Fills groups whose manifolds are known.
#[inline(always)]
fn fill_body(groups: &mut [Group], frictions: &mut [Friction], from: Sources<'_>) {
    for (g, f) in groups.iter_mut().zip(frictions) {
        let (mut a, mut b) = (Side::NONE, Side::NONE);
        let mut frame = [[F4::ZERO; 3]; 3];
        let mut middle = [[F4::ZERO; 3]; 2];
        let mut arms = [[[F4::ZERO; 3]; 2]; super::manifold::POINTS];
        let mut present = [F4::ZERO; super::manifold::POINTS];
        let (mut lever, mut spinning, mut carries) = (F4::ZERO, F4::ZERO, false);
        f.begin();
        for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
            let m = &from.manifolds[g.manifold[l] as usize];
            let [p, q] = m.pair.map(|c| &from.views[from.colliders[c as usize].slot as usize]);
            a.put(l, p);
            b.put(l, q);
            carries |=
                p.velocity != Vec3::ZERO || p.spin != Vec3::ZERO || q.velocity != Vec3::ZERO || q.spin != Vec3::ZERO;
            (g.bodies[0][l], g.bodies[1][l]) = (p.cell.max(g.still), q.cell.max(g.still));
            g.count = g.count.max(m.count);
            let axes = basis(m.normal);
            for k in 0..3 {
                set(&mut frame[k], l, axes.col(k));
            }
            set(&mut middle[0], l, m.middle[0]);
            set(&mut middle[1], l, m.middle[1]);
            for (k, point) in m.points().iter().enumerate() {
                set(&mut arms[k][0], l, point.a);
                set(&mut arms[k][1], l, point.b);
                present[k].0[l] = 1.0;
            }
            let [x, y] = m.pair.map(|c| from.class[c as usize] as usize);
            let s = &from.table[x * from.classes + y];
            (f.sliding.0[l], f.sticking.0[l]) = (s.sliding, s.sticking);
            (lever.0[l], spinning.0[l]) = (m.lever, s.spinning);
            f.roll_lever.0[l] = s.rolling;
            f.rolls |= s.rolling > 0.0;
        }
        f.carries = carries;
        let n = frame[0];
        let linear = a.root_mass * a.root_mass + b.root_mass * b.root_mass;
        g.normal = n;
        g.inverse_root_mass = [a.root_mass, b.root_mass];
        g.linear = linear;
        // axes in the bodies' frames; the second body feels the opposite
        let (na, nb) = (mat_t_vec(&a.r, n), negative(mat_t_vec(&b.r, n)));
        for k in 0..g.count as usize {
            let row = &mut g.points[k];
            row.begin();
            let (pa, pb) = (a.row(arms[k][0], na), b.row(arms[k][1], nb));
            row.response = (linear + dot(pa, pa) + dot(pb, pb)) * present[k];
            row.inverse = row.response.inverse();
            for i in 0..3 {
                row.a[i] = pa[i] * present[k];
                row.b[i] = pb[i] * present[k];
            }
            if carries {
                f.carried[k] = dot(n, minus(a.carried(arms[k][0]), b.carried(arms[k][1]))) * present[k];
                row.bias = f.carried[k];
            }
        }
        // both bodies' centres of pressure, brought together half way
        let (xa, xb) = (mat_vec(&a.r, middle[0]), mat_vec(&b.r, middle[1]));
        let half = F4::splat(0.5);
        let mut apart = [F4::ZERO; 3];
        for i in 0..3 {
            apart[i] = half * ((b.x[i] + xb[i]) - (a.x[i] + xa[i]));
        }
        let (da, db) = (mat_t_vec(&a.r, apart), mat_t_vec(&b.r, apart));
        let (mut ra, mut rb) = (middle[0], middle[1]);
        for i in 0..3 {
            ra[i] += da[i];
            rb[i] = rb[i] - db[i];
        }
        let moved = if carries { minus(a.carried(ra), b.carried(rb)) } else { [F4::ZERO; 3] };
        for k in 0..2 {
            let t = frame[k + 1];
            let (ta, tb) = (mat_t_vec(&a.r, t), negative(mat_t_vec(&b.r, t)));
            f.tangent[k] = t;
            f.a[k] = a.row(ra, ta);
            f.b[k] = b.row(rb, tb);
            f.bias[k] = dot(t, moved);
            if f.rolls {
                f.roll_a[k] = times(a.root_inertia, ta);
                f.roll_b[k] = times(b.root_inertia, tb);
                f.roll_inverse[k] = (dot(f.roll_a[k], f.roll_a[k]) + dot(f.roll_b[k], f.roll_b[k])).inverse();
                f.roll_bias[k] = dot(t, minus(a.spin, b.spin));
            }
        }
        let xx = linear + dot(f.a[0], f.a[0]) + dot(f.b[0], f.b[0]);
        let xy = dot(f.a[0], f.a[1]) + dot(f.b[0], f.b[1]);
        let yy = linear + dot(f.a[1], f.a[1]) + dot(f.b[1], f.b[1]);
        f.glide = (xx + yy).inverse();
        let one_over = (xx * yy - xy * xy).inverse();
        f.inverse = [yy * one_over, -(xy * one_over), xx * one_over];
        f.spin_a = times(a.root_inertia, na);
        f.spin_b = times(b.root_inertia, nb);
        f.spin_inverse = (dot(f.spin_a, f.spin_a) + dot(f.spin_b, f.spin_b)).inverse();
        f.spin_bias = dot(n, minus(a.spin, b.spin));
        f.spin_lever = f.sliding * lever + spinning;
    }
}

kernel! { fn fill(groups: &mut [Group], frictions: &mut [Friction], from: Sources<'_>) = fill_body }
