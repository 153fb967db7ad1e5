//! Bodies, joints and motors: what is read and set often, without the detour over the list of
//! properties.

use crate::core::Core;
use crate::item::Item;
use crate::{errors, value};
use kreisel_dynamics::{BodyId, Control, Coordinate, JointId, MotorId, Quat, Vec3, World};
use numpy::PyArray1;
use pyo3::prelude::*;

/// An array of a vector.
fn array<'py>(py: Python<'py>, v: Vec3) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, &v.to_array())
}

/// Makes the constructor of a kind, and the accessor of what its name stands for now.
macro_rules! kind {
    ($class:ident, $word:literal, $named:ident, $id:ty) => {
        impl $class {
            pub fn new(world: &Bound<'_, Core>, name: &str) -> PyResult<Py<Self>> {
                let base = Item::base(world, $word, name)?;
                Py::new(world.py(), PyClassInitializer::from(base).add_subclass(Self {}))
            }

            /// Reads from the world; what is gone is an error.
            fn read<R>(
                slf: &Bound<'_, Self>,
                get: impl FnOnce(&World, $id) -> Option<R>,
            ) -> PyResult<R> {
                let (py, item) = (slf.py(), slf.as_super().get());
                let found = item
                    .world
                    .get()
                    .read(py, |w| w.$named(&item.name).and_then(|id| get(w, id)))?;
                found.ok_or_else(|| item.gone(py))
            }
        }
    };
}

/// Makes the way to change what is not set by properties.
macro_rules! changes {
    ($class:ident, $named:ident, $id:ty) => {
        impl $class {
            /// Changes the world.
            fn change<E: ToString>(
                slf: &Bound<'_, Self>,
                set: impl FnOnce(&mut World, $id) -> Result<(), E>,
            ) -> PyResult<()> {
                let (py, item) = (slf.py(), slf.as_super().get());
                let done = item.with(py, |s| {
                    let world = &mut s.simulation_mut().world;
                    world.$named(&item.name).map(|id| set(world, id).map_err(|e| e.to_string()))
                })?;
                done.ok_or_else(|| item.gone(py))?.map_err(|e| errors::refused(py, e))
            }
        }
    };
}

/// A body.
#[pyclass(frozen, extends = Item, module = "kreisel._native")]
pub struct Body {}
kind!(Body, "body", body_named, BodyId);
changes!(Body, body_named, BodyId);

#[pymethods]
impl Body {
    /// Origin of its frame, m.
    #[getter]
    fn position<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(slf.py(), Self::read(slf, World::position)?))
    }

    #[setter]
    fn set_position(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let p = Vec3::from_array(value::vector(value)?);
        Self::change(slf, |w, id| w.set_pose(id, p, w.rotation(id).unwrap_or_default()))
    }

    /// Rotation x, y, z, w.
    #[getter]
    fn quaternion<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(slf.py(), &Self::read(slf, World::rotation)?.to_array()))
    }

    #[setter]
    fn set_quaternion(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let q = Quat::from_array(value::array::<4>(value)?);
        if !(q.is_finite() && (0.5..2.0).contains(&q.length())) {
            return Err(errors::refused(
                slf.py(),
                "a rotation is a quaternion x, y, z, w of length 1",
            ));
        }
        Self::change(slf, |w, id| w.set_pose(id, w.position(id).unwrap_or_default(), q.normalize()))
    }

    /// Velocity of its centre of mass, m/s.
    #[getter]
    fn velocity<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(slf.py(), Self::read(slf, World::velocity)?))
    }

    #[setter]
    fn set_velocity(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let v = Vec3::from_array(value::vector(value)?);
        Self::change(slf, |w, id| w.set_velocity(id, v, w.angular_velocity(id).unwrap_or_default()))
    }

    /// Angular velocity, world coordinates, rad/s.
    #[getter]
    fn angular_velocity<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(slf.py(), Self::read(slf, World::angular_velocity)?))
    }

    #[setter]
    fn set_angular_velocity(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let v = Vec3::from_array(value::vector(value)?);
        Self::change(slf, |w, id| w.set_velocity(id, w.velocity(id).unwrap_or_default(), v))
    }

    /// Its centre of mass in world coordinates, m.
    #[getter]
    fn center_of_mass<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(slf.py(), Self::read(slf, World::center_of_mass)?))
    }

    /// Force of all contacts on it in the last step, N.
    #[getter]
    fn contact_force<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(slf.py(), Self::read(slf, World::contact_force)?))
    }

    /// A point of its frame in world coordinates, m.
    fn point<'py>(
        slf: &Bound<'py, Self>,
        local: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let local = Vec3::from_array(value::vector(local)?);
        Ok(array(slf.py(), Self::read(slf, |w, id| w.point(id, local))?))
    }

    /// A force (N, world coordinates) for the coming step, at a point in world coordinates or at
    /// the centre of mass.
    #[pyo3(signature = (force, at=None))]
    fn apply_force(
        slf: &Bound<'_, Self>,
        force: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (force, at) =
            (Vec3::from_array(value::vector(force)?), at.map(value::vector).transpose()?);
        Self::change(slf, |w, id| {
            let center = w.center_of_mass(id).unwrap_or_default();
            w.apply_force(id, force, at.map_or(center, Vec3::from_array))
        })
    }

    /// A torque (N m, world coordinates) for the coming step.
    fn apply_torque(slf: &Bound<'_, Self>, torque: &Bound<'_, PyAny>) -> PyResult<()> {
        let torque = Vec3::from_array(value::vector(torque)?);
        Self::change(slf, |w, id| w.apply_torque(id, torque))
    }

    /// An impulse (N s, world coordinates) at once, at a point in world coordinates or at the
    /// centre of mass.
    #[pyo3(signature = (impulse, at=None))]
    fn apply_impulse(
        slf: &Bound<'_, Self>,
        impulse: &Bound<'_, PyAny>,
        at: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (impulse, at) =
            (Vec3::from_array(value::vector(impulse)?), at.map(value::vector).transpose()?);
        Self::change(slf, |w, id| {
            let center = w.center_of_mass(id).unwrap_or_default();
            w.apply_impulse(id, impulse, at.map_or(center, Vec3::from_array))
        })
    }
}

/// A joint.
#[pyclass(frozen, extends = Item, module = "kreisel._native")]
pub struct Joint {}
kind!(Joint, "joint", joint_named, JointId);

impl Joint {
    /// A coordinate that the joint has.
    fn free(slf: &Bound<'_, Self>, c: Coordinate, rate: bool) -> PyResult<f64> {
        let found = Self::read(slf, |w, id| {
            let value = if rate { w.coordinate_rate(id, c) } else { w.coordinate(id, c) };
            w.joint(id).map(|_| value)
        })?;
        found.ok_or_else(|| slf.as_super().get().unknown(slf.py(), c.name()))
    }
}

#[pymethods]
impl Joint {
    /// Angle of the second body against the first about the axis, whole turns counted, rad.
    #[getter]
    fn angle(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::free(slf, Coordinate::Angle, false)
    }

    /// Its rate, rad/s.
    #[getter]
    fn angle_rate(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::free(slf, Coordinate::Angle, true)
    }

    /// Shift along the axis, m.
    #[getter]
    fn position(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::free(slf, Coordinate::Position, false)
    }

    /// Its rate, m/s.
    #[getter]
    fn position_rate(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::free(slf, Coordinate::Position, true)
    }

    /// Angle between the axes, rad.
    #[getter]
    fn swing(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::free(slf, Coordinate::Swing, false)
    }

    /// Its rate, rad/s.
    #[getter]
    fn swing_rate(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::free(slf, Coordinate::Swing, true)
    }

    /// Reaction force on the second body in the last step, world coordinates, N.
    #[getter]
    fn force<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(slf.py(), Self::read(slf, |w, id| w.reaction(id))?.force))
    }

    /// Reaction torque on the second body in the last step, world coordinates, N m.
    #[getter]
    fn torque<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array(slf.py(), Self::read(slf, |w, id| w.reaction(id))?.torque))
    }

    /// Gap in m and misalignment in rad.
    #[getter]
    fn error(slf: &Bound<'_, Self>) -> PyResult<(f64, f64)> {
        Self::read(slf, World::joint_error)
    }

    /// The motor that drives it; the first of several.
    #[getter]
    fn motor(slf: &Bound<'_, Self>) -> PyResult<Py<Motor>> {
        let name = Self::read(slf, |w, id| {
            let own = w.motors().find(|m| w.motor(*m).is_some_and(|m| m.joint == id));
            Some(own.and_then(|m| w.motor_name(m)))
        })?;
        let item = slf.as_super().get();
        let name = name.ok_or_else(|| item.unknown(slf.py(), "motor"))?;
        Motor::new(item.world.bind(slf.py()), &name)
    }
}

/// A motor.
#[pyclass(frozen, extends = Item, module = "kreisel._native")]
pub struct Motor {}
kind!(Motor, "motor", motor_named, MotorId);
changes!(Motor, motor_named, MotorId);

/// What a motor does, in the word that its value is set by.
fn word(control: &Control) -> &'static str {
    match control {
        Control::Effort(_) => "effort",
        Control::Velocity(_) => "velocity",
        Control::Servo { .. } => "target",
        Control::Electric { .. } => "voltage",
        Control::Muscle { .. } => "excitation",
        Control::Hydraulic { .. } => "valve",
        Control::Damper(_) => "brake",
    }
}

impl Motor {
    /// Sets the value of a motor that is of this kind; any other is told what to set.
    fn drive(slf: &Bound<'_, Self>, what: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = value::number(value)?;
        let item = slf.as_super().get();
        Self::change(slf, |w, id| {
            let own = w.motor(id).map_or("", |m| word(&m.control));
            if own != what {
                let name = &item.name;
                return Err(format!(
                    "motor \"{name}\" is driven by its {own}, not by its {what}: set .{own}"
                ));
            }
            w.set_motor_value(id, value).map_err(|e| e.to_string())
        })
    }

    /// The value that it is set to at this time.
    fn set_value(slf: &Bound<'_, Self>, what: &str) -> PyResult<Option<f64>> {
        Self::read(slf, |w, id| {
            let motor = w.motor(id)?;
            Some((word(&motor.control) == what).then(|| motor.control.schedule().at(w.time())))
        })
    }

    /// The same, or an error.
    fn own(slf: &Bound<'_, Self>, what: &str) -> PyResult<f64> {
        let name = &slf.as_super().get().name;
        let message =
            || format!("motor \"{name}\" has no {what} to follow; it is driven otherwise");
        Self::set_value(slf, what)?
            .ok_or_else(|| errors::raise(slf.py(), "UnknownProperty", message()))
    }
}

#[pymethods]
impl Motor {
    /// Effort, N m or N: the one that it is set to for a motor that gives an effort (may be set),
    /// else the one that it gave in the last step.
    #[getter]
    fn effort(slf: &Bound<'_, Self>) -> PyResult<f64> {
        match Self::set_value(slf, "effort")? {
            Some(value) => Ok(value),
            None => Self::read(slf, World::motor_effort),
        }
    }

    #[setter]
    fn set_effort(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::drive(slf, "effort", value)
    }

    /// Effort that it gave in the last step, N m or N; 0 before the first.
    #[getter]
    fn effort_now(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::read(slf, |w, id| w.motor(id).map(|_| w.motor_effort(id).unwrap_or(0.0)))
    }

    /// Rate that a velocity motor holds, rad/s or m/s.
    #[getter]
    fn velocity(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::own(slf, "velocity")
    }

    #[setter]
    fn set_velocity(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::drive(slf, "velocity", value)
    }

    /// Set value that a servo follows: rad, m, rad/s or m/s.
    #[getter]
    fn target(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::own(slf, "target")
    }

    #[setter]
    fn set_target(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::drive(slf, "target", value)
    }

    /// Voltage on the winding of an electric motor, V.
    #[getter]
    fn voltage(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::own(slf, "voltage")
    }

    #[setter]
    fn set_voltage(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::drive(slf, "voltage", value)
    }

    /// Excitation of a muscle, 0 to 1.
    #[getter]
    fn excitation(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::own(slf, "excitation")
    }

    #[setter]
    fn set_excitation(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::drive(slf, "excitation", value)
    }

    /// Opening of the valve of a hydraulic cylinder, −1 to 1.
    #[getter]
    fn valve(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::own(slf, "valve")
    }

    #[setter]
    fn set_valve(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::drive(slf, "valve", value)
    }

    /// Damping of a brake, N m s/rad or N s/m.
    #[getter]
    fn brake(slf: &Bound<'_, Self>) -> PyResult<f64> {
        Self::own(slf, "brake")
    }

    #[setter]
    fn set_brake(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::drive(slf, "brake", value)
    }
}
