//! What every engine is given: bodies and joints in world coordinates, in the poses at the start.

use glam::{DQuat, DVec3};
use kreisel_dynamics::Shape;

/// A solid box, or another solid.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Centre, m.
    pub position: DVec3,
    /// From the box's axes to the world's.
    pub rotation: DQuat,
    /// Full edge lengths, m.
    pub size: DVec3,
    /// What it is if not a box, its centre of mass at the origin; `size` is not read then.
    pub form: Option<&'static Shape>,
    /// Mass, kg.
    pub mass: f64,
    /// Velocity of the centre, m/s.
    pub velocity: DVec3,
    /// Angular velocity, world coordinates, rad/s.
    pub spin: DVec3,
    /// Whether nothing moves it.
    pub fixed: bool,
}

impl Block {
    /// A box at rest.
    pub fn new(mass: f64, size: DVec3, position: DVec3, rotation: DQuat) -> Self {
        Self {
            position,
            rotation,
            size,
            form: None,
            mass,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            fixed: false,
        }
    }

    /// A box that nothing moves.
    pub fn fixed(size: DVec3, position: DVec3, rotation: DQuat) -> Self {
        Self { fixed: true, ..Self::new(1.0, size, position, rotation) }
    }

    /// A solid at rest. It lives as long as the program.
    pub fn solid(mass: f64, shape: Shape, position: DVec3, rotation: DQuat) -> Self {
        Self {
            form: Some(Box::leak(Box::new(shape))),
            ..Self::new(mass, DVec3::ONE, position, rotation)
        }
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.form.cloned().unwrap_or(Shape::Box { size: self.size })
    }

    /// Density of a solid of this shape and mass, kg/m³.
    pub fn density(&self) -> f64 {
        self.mass / self.shape().mass_properties(1.0).expect("the shape has a volume").mass
    }

    /// Principal moments of inertia of a box, kg m².
    pub fn moments(&self) -> DVec3 {
        let s = self.size * self.size;
        DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (self.mass / 12.0)
    }

    /// A point of the world, in the box's axes.
    pub fn local(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.position)
    }
}

/// What a joint takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The anchors coincide.
    Ball,
    /// Ball, and `axes[0]` is common.
    Hinge,
    /// Ball, and `axes[0]` of the first body stays orthogonal to `axes[1]` of the second.
    Universal,
    /// No relative rotation, and no shift across `axes[0]`.
    Slider,
}

/// A joint between two boxes, or between the world (`None`) and a box.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The two bodies.
    pub bodies: [Option<usize>; 2],
    /// Where they meet, world coordinates, m.
    pub anchor: DVec3,
    /// What is taken away.
    pub kind: Kind,
    /// Axes on the first and the second body, world coordinates.
    pub axes: [DVec3; 2],
}

impl Link {
    /// A ball joint.
    pub fn ball(first: Option<usize>, second: usize, anchor: DVec3) -> Self {
        Self { bodies: [first, Some(second)], anchor, kind: Kind::Ball, axes: [DVec3::Z, DVec3::X] }
    }
}

/// A spring between the centres of two boxes, relaxed at the start.
#[derive(Clone, Copy, Debug)]
pub struct Coil {
    /// The two bodies.
    pub bodies: [usize; 2],
    /// N/m.
    pub stiffness: f64,
}

/// A scene.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name in tables.
    pub name: String,
    /// Length L of the energy measure M g L/2, m.
    pub length: f64,
    /// Step that is asked for, s.
    pub step: f64,
    /// The boxes.
    pub blocks: Vec<Block>,
    /// The joints.
    pub links: Vec<Link>,
    /// The springs.
    pub coils: Vec<Coil>,
    /// Coefficient of friction; without one nothing collides.
    pub friction: Option<f64>,
}

/// Gravity of all scenes, m/s².
pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

impl Scene {
    /// A scene without bodies.
    pub fn new(name: impl Into<String>, length: f64, step: f64) -> Self {
        Self {
            name: name.into(),
            length,
            step,
            blocks: Vec::new(),
            links: Vec::new(),
            coils: Vec::new(),
            friction: None,
        }
    }

    /// Adds a box and gives its number.
    pub fn block(&mut self, block: Block) -> usize {
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    /// Unit of all energies in tables: M g L/2, J.
    pub fn energy_unit(&self) -> f64 {
        self.blocks.iter().map(|b| b.mass).sum::<f64>() * GRAVITY.length() * self.length / 2.0
    }

    /// Whether all joints are ball joints and there are no springs: what every peer here can run.
    pub fn only_balls(&self) -> bool {
        self.coils.is_empty() && self.links.iter().all(|l| l.kind == Kind::Ball)
    }
}
