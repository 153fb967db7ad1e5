//! From manifolds to rows: islands, colours, groups of four, and their coefficients, computed in
//! four lanes.
//!
//! Everything is written in the bodies' own frames, where anchors are constant: with nₐ = Rᵀn a
//! point's row is I^−½ (p × nₐ). Friction acts at the centre of pressure, half way between the two
//! bodies' ideas of it.

use super::cells::Cell;
use super::collider::Collider;
use super::island::Touching;
use super::loads::{Loads, seat};
use super::manifold::{Manifold, POINTS};
use super::material::Surface;
use super::rows::{AllRows, Group, IDLE, SomeRows, Width};
use super::{ContactSettings, ContactTime, Contacts, Friction, NOWHERE, parts};
use crate::lanes::{F4, LANES, S8, add_scaled, dot, mat_t_vec, mat_vec, times};
use crate::math::Vec3;
use crate::simd::kernel;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::simd::register;
use crate::system::{System, vec3};

impl Contacts {
    /// Islands, colours and rows for the manifolds at hand.
    pub(super) fn set_up(&mut self, systems: &[System], settings: &ContactSettings) {
        if !self.surveyed {
            self.survey();
        }
        // layers and single impacts are found island by island
        let cut = settings.time == ContactTime::Fast && settings.shock == 0;
        let members = |s: u32| &systems[s as usize].slots[..];
        let touching = Touching {
            manifolds: &self.briefs,
            colliders: &self.colliders,
            active: &self.active,
            chain_of: &self.chain_of,
            places: &self.places,
            cut,
        };
        let stands = self.islands.stands(touching);
        if stands {
            self.view(systems);
        } else {
            self.islands.build(touching, members);
            self.view(systems);
            self.weigh(systems);
            self.make_groups(settings);
        }
        let from = Sources {
            manifolds: &self.memory.manifolds,
            colliders: &self.colliders,
            views: &self.views,
            class: &self.class,
            classes: self.classes,
            table: &self.table,
            nobody: &BodyView::default(),
            nothing: &Manifold::default(),
        };
        let (AllRows { fours, eights }, threads) = (&mut self.rows, self.threads);
        let (n, m) = (fours.groups.len(), eights.groups.len());
        parts::each(fours.some(0..n), threads, &|rows| fill(rows, from));
        parts::each(eights.some(0..m), threads, &|rows| fill(rows, from));
        let cells = self.islands.slots.len();
        self.last.resize(cells, Cell::default());
        self.cells.resize(cells, Cell::default());
        self.reference.resize(cells, Cell::default());
        self.actual.resize(cells, Cell::default());
        self.ready = true;
        debug_assert!(self.rows.fours.groups.iter().all(|g| g.manifold != [IDLE; LANES]));
    }

    /// Inverse roots of the masses of all cells.
    fn weigh(&mut self, systems: &[System]) {
        let root = |&slot: &u32| {
            let (s, i) = if slot == u32::MAX { return 0.0 } else { self.homes[slot as usize] };
            systems[s as usize].groups[i as usize / LANES].ism.0[i as usize % LANES]
        };
        self.roots.clear();
        self.roots.extend(self.islands.slots.iter().map(root));
    }

    /// Groups of all islands.
    fn make_groups(&mut self, settings: &ContactSettings) {
        let (mut fours, mut eights) = (0, 0);
        self.seats.clear();
        self.seats.resize(self.memory.manifolds.len(), IDLE);
        for k in 0..self.islands.list.len() {
            let first = (fours, eights);
            let single = self.may_be_single(k, settings);
            for part in self.islands.list[k].parts.clone() {
                if single {
                    eights = self.group::<S8>(part, first.1, eights);
                } else {
                    fours = self.group::<F4>(part, first.0, fours);
                }
            }
            let island = &mut self.islands.list[k];
            (island.fours, island.eights) = (first.0..fours, first.1..eights);
        }
        // what stays of the last step is overwritten when the rows are filled
        self.rows.fours.resize(fours);
        self.rows.eights.resize(eights);
    }

    /// Colours the manifolds of a part and puts them into groups, from number `from` on; the
    /// island's begin at `first`. Returns the number of the next group.
    fn group<N: Width>(&mut self, part: usize, first: usize, from: usize) -> usize {
        let part = &mut self.islands.parts[part];
        let still = part.cells.start as u32;
        self.link.clear();
        for &m in &self.islands.order[part.manifolds.clone()] {
            let m = &self.briefs[m as usize];
            let cell = |c: u32| {
                self.views[self.colliders[c as usize].slot as usize].cell.saturating_sub(still)
            };
            self.link.push((m.pair.map(cell), m.count));
        }
        let numbers = &self.islands.order[part.manifolds.clone()];
        let (groups, seats) = (&mut N::of_mut(&mut self.rows).groups, &mut self.seats);
        let mut begun = from;
        let made =
            self.coloring.group(LANES * N::FOURS, part.cells.len(), &self.link, |i, g, l| {
                if groups.len() <= from + g {
                    groups.resize(from + g + 1, Group::default());
                }
                for g in &mut groups[begun.min(from + g + 1)..=from + g] {
                    (g.manifold, g.bodies, g.still) = (N::all(IDLE), [N::all(still); 2], still);
                }
                begun = begun.max(from + g + 1);
                groups[from + g].manifold.as_mut()[l] = numbers[i];
                seats[numbers[i] as usize] = seat::<N>(from + g, l);
            });
        part.groups = from - first..from + made - first;
        from + made
    }

    /// What rows need to know of the bodies.
    fn view(&mut self, systems: &[System]) {
        self.views.resize(self.homes.len(), BodyView::default());
        for (c, active) in self.colliders.iter().zip(&self.active) {
            let slot = c.slot as usize;
            let (x, r) = (self.places[slot].x, &self.places[slot].r);
            let (mut cell, mut root_mass, mut root_inertia, mut speed) = (0, 0.0, Vec3::ZERO, None);
            if self.homes[slot] != NOWHERE && *active {
                let (s, i) = self.homes[slot];
                let (g, l) = (&systems[s as usize].groups[i as usize / LANES], i as usize % LANES);
                (cell, root_mass, root_inertia) =
                    (self.islands.cell[slot], g.ism.0[l], vec3(&g.isi, l));
            } else if c.kinematic && self.speeds[slot] != [Vec3::ZERO; 2] {
                speed = Some(self.speeds[slot]);
            }
            let axis = |c: Vec3, i: f64| F4([c.x, c.y, c.z, i]);
            self.views[slot] = BodyView {
                rows: [
                    axis(x, root_mass),
                    axis(r.x_axis, root_inertia.x),
                    axis(r.y_axis, root_inertia.y),
                    axis(r.z_axis, root_inertia.z),
                ],
                cell,
                speed,
            };
        }
    }
}

/// What a row needs to know of a body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyView {
    /// x and 1/√m; the columns of R, each with its 1/√I.
    rows: [F4; 4],
    /// Cell of its velocity; 0 when impulses do not move it.
    pub cell: u32,
    /// Velocities of a kinematic body that moves.
    speed: Option<[Vec3; 2]>,
}

impl BodyView {
    /// 1/√m, and 1/√I about the three axes.
    pub fn roots(&self) -> [f64; 4] {
        self.rows.map(|r| r.0[3])
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
    /// What idle lanes see.
    nobody: &'a BodyView,
    nothing: &'a Manifold,
}

impl<'a> Sources<'a> {
    #[inline(always)]
    fn view(&self, collider: u32) -> &'a BodyView {
        &self.views[self.colliders[collider as usize].slot as usize]
    }

    #[inline(always)]
    fn surface(&self, m: &Manifold) -> &'a Surface {
        let [x, y] = m.pair.map(|c| self.class[c as usize] as usize);
        &self.table[x * self.classes + y]
    }
}

/// Four bodies of one side, turned to lanes.
#[derive(Clone, Copy, Default)]
struct Side {
    x: [F4; 3],
    r: [F4; 9],
    root_mass: F4,
    root_inertia: [F4; 3],
    /// Of kinematic bodies.
    velocity: [F4; 3],
    spin: [F4; 3],
    /// Anchors of the points.
    arms: [[F4; 3]; POINTS],
}

impl Side {
    #[inline(always)]
    fn place(&mut self, [x, y, z, root_mass]: [F4; 4], axes: [[F4; 4]; 3]) {
        (self.x, self.root_mass) = ([x, y, z], root_mass);
        for (k, [x, y, z, inertia]) in axes.into_iter().enumerate() {
            (self.r[3 * k], self.r[3 * k + 1], self.r[3 * k + 2]) = (x, y, z);
            self.root_inertia[k] = inertia;
        }
    }
}

#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
#[inline(never)]
fn turn_body(views: [&BodyView; LANES], arms: [&[F4; POINTS]; LANES], to: &mut Side) {
    let row = |k: usize| F4::transpose(views.map(|v| &v.rows[k]));
    to.place(row(0), [row(1), row(2), row(3)]);
    for k in 0..POINTS {
        let [a, b, c, d] = arms.map(|a| &a[k]);
        to.arms[k] = F4::transpose3(a, b, c, d);
    }
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[inline(never)]
fn turn_wide(
    [a, b, c, d]: [&BodyView; LANES],
    [p, q, r, s]: [&[F4; POINTS]; LANES],
    to: &mut Side,
) {
    let mut rows = [[F4::ZERO; 4]; 4];
    for k in 0..4 {
        rows[k] = register::transpose([&a.rows[k], &b.rows[k], &c.rows[k], &d.rows[k]]);
    }
    to.place(rows[0], [rows[1], rows[2], rows[3]]);
    for k in 0..POINTS {
        register::transpose3([&p[k], &q[k], &r[k], &s[k]], &mut to.arms[k]);
    }
}

kernel! {
    fn turn(views: [&BodyView; LANES], arms: [&[F4; POINTS]; LANES], to: &mut Side) = turn_body, by turn_wide
}

#[inline(always)]
fn set(v: &mut [F4; 3], l: usize, x: Vec3) {
    v[0].0[l] = x.x;
    v[1].0[l] = x.y;
    v[2].0[l] = x.z;
}

impl Side {
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

/// Two directions across each unit vector that make a right-handed frame with it; the first is
/// across the axis that it is farthest from.
#[inline(always)]
fn tangents(n: [F4; 3]) -> [[F4; 3]; 2] {
    let [x, y, z] = [n[0].abs(), n[1].abs(), n[2].abs()];
    let mut t = [F4::ZERO; 3];
    // axis × n
    let across = [[F4::ZERO, -n[2], n[1]], [n[2], F4::ZERO, -n[0]], [-n[1], n[0], F4::ZERO]];
    for i in 0..3 {
        let other = y.where_larger(z, across[2][i], across[1][i]);
        t[i] = x.where_larger(y, other, x.where_larger(z, other, across[0][i]));
    }
    let one_over = dot(t, t).sqrt().inverse();
    let t = [t[0] * one_over, t[1] * one_over, t[2] * one_over];
    [t, cross(n, t)]
}

/// Fills groups whose manifolds are known.
#[inline(always)]
fn fill_body<N: Width>((groups, frictions, loads): SomeRows<'_, N>, from: Sources<'_>) {
    // rows of four lanes on their way: what is not set is not read
    let (mut g4, mut f4) = (Group::<F4>::default(), Friction::<F4>::default());
    for ((g, f), l) in groups.iter_mut().zip(frictions).zip(loads) {
        f.begin();
        let mut count = 0;
        for (_, m) in g.lanes() {
            let m = &from.manifolds[m];
            count = count.max(m.count);
            f.carries |= m.pair.iter().any(|&c| from.view(c).speed.is_some());
            f.rolls |= from.surface(m).rolling > 0.0;
        }
        (g.count, g4.count, g4.still) = (count, count, g.still);
        (f4.carries, f4.rolls) = (f.carries, f.rolls);
        for q in 0..N::FOURS {
            g4.manifold.copy_from_slice(&g.manifold.as_ref()[LANES * q..LANES * (q + 1)]);
            l.set_four(q, &fill_four(&mut g4, &mut f4, from));
            g.set_four(q, &g4);
            f.set_four(q, &f4);
        }
    }
}

/// Fills four lanes whose manifolds and number of points are known.
#[inline(always)]
fn fill_four(g: &mut Group, f: &mut Friction, from: Sources<'_>) -> Loads {
    let mut views = [[from.nobody; LANES]; 2];
    let mut regions = [from.nothing; LANES];
    let (mut present, mut share) = ([F4::ZERO; POINTS], [F4::ZERO; POINTS]);
    let (mut n, mut spinning) = ([F4::ZERO; 3], F4::ZERO);
    g.bodies = [[g.still; LANES]; 2];
    (f.grip.sliding, f.grip.sticking, f.restitution, f.roll_lever) =
        (F4::ZERO, F4::ZERO, F4::ZERO, F4::ZERO);
    for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
        let m = &from.manifolds[g.manifold[l] as usize];
        let [p, q] = m.pair.map(|c| from.view(c));
        (views[0][l], views[1][l], regions[l]) = (p, q, m);
        (g.bodies[0][l], g.bodies[1][l]) = (p.cell.max(g.still), q.cell.max(g.still));
        set(&mut n, l, m.normal);
        for k in m.points() {
            (present[k].0[l], share[k].0[l]) = (1.0, m.share.0[k]);
        }
        let s = from.surface(m);
        (f.grip.sliding.0[l], f.grip.sticking.0[l]) = (s.sliding, s.sticking);
        (spinning.0[l], f.restitution.0[l]) = (s.spinning, s.restitution);
        f.roll_lever.0[l] = s.rolling;
    }
    let carries = f.carries;
    let (mut a, mut b) = (Side::default(), Side::default());
    let [x, y, z, w] = regions.map(Manifold::arms);
    turn(views[0], [x[0], y[0], z[0], w[0]], &mut a);
    turn(views[1], [x[1], y[1], z[1], w[1]], &mut b);
    if carries {
        for (side, views) in [&mut a, &mut b].into_iter().zip(&views) {
            for (l, [velocity, spin]) in
                views.iter().enumerate().filter_map(|(l, v)| Some((l, v.speed?)))
            {
                set(&mut side.velocity, l, velocity);
                set(&mut side.spin, l, spin);
            }
        }
    }
    let tangents = tangents(n);
    let linear = a.root_mass * a.root_mass + b.root_mass * b.root_mass;
    g.normal = n;
    g.inverse_root_mass = [a.root_mass, b.root_mass];
    g.linear = linear;
    // axes in the bodies' frames; the second body feels the opposite
    let (na, nb) = (mat_t_vec(&a.r, n), negative(mat_t_vec(&b.r, n)));
    for k in 0..g.count as usize {
        let row = &mut g.points[k];
        row.begin();
        let (pa, pb) = (a.row(a.arms[k], na), b.row(b.arms[k], nb));
        row.response = (linear + dot(pa, pa) + dot(pb, pb)) * present[k];
        row.inverse = row.response.inverse();
        for i in 0..3 {
            row.a[i] = pa[i] * present[k];
            row.b[i] = pb[i] * present[k];
        }
        if carries {
            f.carried[k] = dot(n, minus(a.carried(a.arms[k]), b.carried(b.arms[k]))) * present[k];
        }
    }
    let (mut middle, mut lever) = ([[F4::ZERO; 3]; 2], F4::ZERO);
    for k in 0..g.count as usize {
        middle[0] = add_scaled(middle[0], share[k], a.arms[k]);
        middle[1] = add_scaled(middle[1], share[k], b.arms[k]);
    }
    for k in 0..g.count as usize {
        let out = minus(a.arms[k], middle[0]);
        lever += dot(out, out).sqrt() * share[k];
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
        let t = tangents[k];
        let (ta, tb) = (mat_t_vec(&a.r, t), negative(mat_t_vec(&b.r, t)));
        f.grip.tangent[k] = t;
        f.grip.a[k] = a.row(ra, ta);
        f.grip.b[k] = b.row(rb, tb);
        f.drift[k] = dot(t, moved);
        if f.rolls {
            f.roll_a[k] = times(a.root_inertia, ta);
            f.roll_b[k] = times(b.root_inertia, tb);
            f.roll_inverse[k] =
                (dot(f.roll_a[k], f.roll_a[k]) + dot(f.roll_b[k], f.roll_b[k])).inverse();
            f.drift_roll[k] = dot(t, minus(a.spin, b.spin));
        }
    }
    let xx = linear + dot(f.grip.a[0], f.grip.a[0]) + dot(f.grip.b[0], f.grip.b[0]);
    let xy = dot(f.grip.a[0], f.grip.a[1]) + dot(f.grip.b[0], f.grip.b[1]);
    let yy = linear + dot(f.grip.a[1], f.grip.a[1]) + dot(f.grip.b[1], f.grip.b[1]);
    f.grip.glide = (xx + yy).inverse();
    let one_over = (xx * yy - xy * xy).inverse();
    f.grip.inverse = [yy * one_over, -(xy * one_over), xx * one_over];
    f.grip.spin_a = times(a.root_inertia, na);
    f.grip.spin_b = times(b.root_inertia, nb);
    f.grip.spin_inverse =
        (dot(f.grip.spin_a, f.grip.spin_a) + dot(f.grip.spin_b, f.grip.spin_b)).inverse();
    f.drift_spin = dot(n, minus(a.spin, b.spin));
    f.grip.spin_lever = f.grip.sliding * lever + spinning;
    Loads::of(regions)
}

kernel! { fn fill<N: Width>(rows: SomeRows<'_, N>, from: Sources<'_>) = fill_body }
