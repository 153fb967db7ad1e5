//! Coins that settle on a plane. Each bounce changes a coin's velocity, so that the times of all
//! its pairs must be found anew; the cost of that with all pairs in the heap, and with those only
//! whose boxes of motion share a cell.
//!
//! The loop of Algorithm 31 with balls for coins (the distance is then free, what is left is the
//! bookkeeping that is compared): a ball that reaches the plane bounces, two balls that meet
//! exchange their approaching speeds. 0.1 s with a gap of 1 mm to fall.

use super::Plots;
use crate::common::{Random, cpu_seconds_for};
use glam::DVec3;
use kreisel_geometry::broad::{Aabb, BroadPhase, CoherenceHash};
use kreisel_geometry::impact::{CollisionHeap, PairKey, free_time};
use std::collections::BTreeMap;

const RADIUS: f64 = 0.01;
const GRAVITY: f64 = 9.81;
const NEAR: f64 = 1e-5;
/// Motion boxes are made for this long, s.
const HORIZON: f64 = 0.01;
const UNTIL: f64 = 0.1;

pub fn run(plots: &Plots) {
    let (mut all, mut near) = (Vec::new(), Vec::new());
    for n in [10, 30, 100, 300, 1000, 3000, 10_000] {
        for (line, hashing, most) in [(&mut all, false, 300), (&mut near, true, 10_000)] {
            if n <= most {
                let bounces = simulate(n, hashing);
                let time = cpu_seconds_for(0.05, || simulate(n, hashing) as f64);
                println!("{n} coins, hashing {hashing}: {bounces} collisions");
                line.push((n as f64, time * 1e6 / bounces as f64));
            }
        }
    }
    let lines = [("all pairs".to_owned(), all), ("with hashing".to_owned(), near)];
    plots.add("b5-coins", &lines, "coins", "µs for a collision");
}

struct Ball {
    place: DVec3,
    velocity: DVec3,
    /// When the two were true.
    time: f64,
}

impl Ball {
    fn at(&self, t: f64) -> (DVec3, DVec3) {
        let s = t - self.time;
        let fall = DVec3::NEG_Z * GRAVITY;
        (self.place + self.velocity * s + fall * (0.5 * s * s), self.velocity + fall * s)
    }
}

struct World {
    balls: Vec<Ball>,
    heap: CollisionHeap,
    /// Partners of each ball in the heap; the plane is partner n.
    partners: Vec<BTreeMap<u32, ()>>,
    now: f64,
}

impl World {
    fn new(n: usize) -> Self {
        let mut random = Random(5);
        let columns = (n as f64).sqrt().ceil() as usize;
        let ball = |i: usize| {
            let (x, y) = ((i % columns) as f64, (i / columns) as f64);
            let jitter = random.vector() * 0.001;
            let place = DVec3::new(x, y, 0.0) * 0.025 + jitter + DVec3::Z * (RADIUS + 0.002);
            Ball { place, velocity: random.vector() * 0.05, time: 0.0 }
        };
        let balls = (0..n).map(ball).collect();
        Self { balls, heap: CollisionHeap::default(), partners: vec![BTreeMap::new(); n], now: 0.0 }
    }

    /// Enters a pair with the time until which it is certainly free (L-63, corrected for the static
    /// plane).
    fn enter(&mut self, i: u32, j: u32) {
        let plane = self.balls.len() as u32;
        let (p, v) = self.balls[i as usize].at(self.now);
        let wait = if j == plane {
            free_time((p.z - RADIUS).max(0.02 * NEAR), -v.z, GRAVITY)
        } else {
            let (q, w) = self.balls[j as usize].at(self.now);
            // both fall: gravity cancels
            free_time((p.distance(q) - 2.0 * RADIUS).max(0.02 * NEAR), v.distance(w), 0.0)
        };
        self.heap.set(PairKey::new(i, j), self.now + wait);
        self.partners[i as usize].insert(j, ());
        if j < plane {
            self.partners[j as usize].insert(i, ());
        }
    }

    /// Sets all pairs of a ball anew after its velocity has jumped.
    fn rekey(&mut self, i: u32) {
        let partners: Vec<u32> = self.partners[i as usize].keys().copied().collect();
        partners.into_iter().for_each(|j| self.enter(i, j));
    }

    /// Looks at a pair that is due; true if it collides.
    fn look(&mut self, pair: PairKey) -> bool {
        let [i, j] = pair.bodies();
        let plane = self.balls.len() as u32;
        let (p, v) = self.balls[i as usize].at(self.now);
        let (other, normal, gap) = if j == plane {
            (DVec3::ZERO, DVec3::Z, p.z - RADIUS)
        } else {
            let (q, w) = self.balls[j as usize].at(self.now);
            (w, (p - q).normalize_or(DVec3::Z), p.distance(q) - 2.0 * RADIUS)
        };
        let approach = -normal.dot(v - other);
        if gap > NEAR || approach <= 0.0 {
            self.enter(i, j);
            return false;
        }
        // restitution ½, and as much speed as a micro-collision needs to leave the shell
        let jump = normal * (1.5 * approach).max(approach + 0.02);
        let share = if j == plane { 1.0 } else { 0.5 };
        self.balls[i as usize] = Ball { place: p, velocity: v + jump * share, time: self.now };
        if j < plane {
            let (q, w) = self.balls[j as usize].at(self.now);
            self.balls[j as usize] = Ball { place: q, velocity: w - jump * share, time: self.now };
            self.rekey(j);
        }
        self.rekey(i);
        true
    }
}

/// The number of collisions.
fn simulate(n: usize, hashing: bool) -> u64 {
    let mut world = World::new(n);
    let plane = n as u32;
    let mut hash = CoherenceHash::default();
    for i in 0..n as u32 {
        world.enter(i, plane);
        if !hashing {
            (0..i).for_each(|j| world.enter(i, j));
        }
    }
    let mut bounces = 0;
    let mut end = 0.0;
    while end < UNTIL {
        end += HORIZON;
        if hashing {
            // boxes of the motion until then; speeds stay below what the fall and a push add
            let boxes: Vec<Aabb> = world
                .balls
                .iter()
                .map(|b| {
                    let (p, v) = b.at(world.now);
                    let reach = RADIUS + (v.length() + 0.3) * HORIZON;
                    Aabb { lo: p - DVec3::splat(reach), hi: p + DVec3::splat(reach) }
                })
                .collect();
            for [i, j] in hash.pairs(&boxes) {
                if !world.heap.contains(PairKey::new(i, j)) {
                    world.enter(i, j);
                }
            }
        }
        while let Some((_, time)) = world.heap.earliest() {
            if time > end {
                break;
            }
            world.now = world.now.max(time);
            let Some(pair) = world.heap.pop_due(world.now) else { break };
            bounces += u64::from(world.look(pair));
        }
        world.now = end;
    }
    bounces.max(1)
}
