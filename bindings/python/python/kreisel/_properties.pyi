"""Properties of items, with units, as the live simulator lists them.

Written by tools/generate.py from the properties of all scenes: do not edit.
"""

from collections.abc import Sequence
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import Item
from .items import Group

Array = NDArray[np.float64]

class BodyProperties:
    @property
    def center(self) -> Array:
        """[m] centre of mass in the body's frame, instead of the shape's"""
    @property
    def color(self) -> str:
        """colour in the playback"""
    @color.setter
    def color(self, value: str) -> None: ...
    @property
    def friction(self) -> float:
        """coefficient of sliding friction; default 0.5"""
    @friction.setter
    def friction(self, value: SupportsFloat) -> None: ...
    @property
    def inertia(self) -> Array:
        """[kg m²] inertia tensor about the centre of mass, along the body's axes, instead of the
        shape's"""
    @property
    def kind(self) -> str:
        """moved by forces, never, or by its given velocity; default "dynamic" """
    @kind.setter
    def kind(self, value: str | int) -> None: ...
    @property
    def mass(self) -> float:
        """[kg] mass; the shape gives the inertia"""
    @mass.setter
    def mass(self, value: SupportsFloat) -> None: ...
    @property
    def material(self) -> str:
        """name of the material for [[contact.pair]]"""
    @material.setter
    def material(self, value: str) -> None: ...
    @property
    def restitution(self) -> float:
        """how much of the approach speed comes back; default 0"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...
    @property
    def rolling(self) -> float:
        """[m] resistance to rolling as a lever arm; default 0"""
    @rolling.setter
    def rolling(self, value: SupportsFloat) -> None: ...
    @property
    def rotation(self) -> Array:
        """[deg] rotation from the body's frame to the world; default none"""
    @rotation.setter
    def rotation(self, value: ArrayLike) -> None: ...
    @property
    def shape(self) -> str:
        """gives the mass properties and the look"""
    @property
    def spinning(self) -> float:
        """[m] resistance to spinning about the normal as a lever arm; default 0"""
    @spinning.setter
    def spinning(self, value: SupportsFloat) -> None: ...
    @property
    def static_friction(self) -> float | None:
        """coefficient of static friction; default that of sliding"""
    @static_friction.setter
    def static_friction(self, value: SupportsFloat | None) -> None: ...

class JointBreaking(Group):
    @property
    def force(self) -> float | None:
        """[N] load at which the joint breaks, in N and N m"""
    @force.setter
    def force(self, value: SupportsFloat | None) -> None: ...
    @property
    def torque(self) -> float | None:
        """[N m] load at which the joint breaks, in N and N m"""
    @torque.setter
    def torque(self, value: SupportsFloat | None) -> None: ...

class JointFriction(Group):
    @property
    def angle(self) -> float:
        """[N m] largest dry friction by coordinate: { angle = 0.1 }, in N m or N"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float:
        """[N] largest dry friction by coordinate: { angle = 0.1 }, in N m or N"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """[N] largest dry friction by coordinate: { angle = 0.1 }, in N m or N"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...
    @property
    def swing(self) -> float:
        """[N m] largest dry friction by coordinate: { angle = 0.1 }, in N m or N"""
    @swing.setter
    def swing(self, value: SupportsFloat) -> None: ...

class JointLimitsAngle(Group):
    @property
    def max(self) -> float | None:
        """[rad] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max
        = …, restitution = 0.5 } }"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[rad] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max
        = …, restitution = 0.5 } }"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max = …,
        restitution = 0.5 } }"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...

class JointLimitsLength(Group):
    @property
    def max(self) -> float | None:
        """[m] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max =
        …, restitution = 0.5 } }"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[m] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max =
        …, restitution = 0.5 } }"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max = …,
        restitution = 0.5 } }"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...

class JointLimitsPosition(Group):
    @property
    def max(self) -> float | None:
        """[m] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max =
        …, restitution = 0.5 } }"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[m] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max =
        …, restitution = 0.5 } }"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max = …,
        restitution = 0.5 } }"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...

class JointLimitsSwing(Group):
    @property
    def max(self) -> float | None:
        """[rad] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max
        = …, restitution = 0.5 } }"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[rad] bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max
        = …, restitution = 0.5 } }"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """bounds by coordinate: { angle = ["-90 deg", "90 deg"] } or { angle = { min = …, max = …,
        restitution = 0.5 } }"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...

class JointLimits(Group):
    @property
    def angle(self) -> JointLimitsAngle: ...
    @property
    def length(self) -> JointLimitsLength: ...
    @property
    def position(self) -> JointLimitsPosition: ...
    @property
    def swing(self) -> JointLimitsSwing: ...

class JointProperties:
    @property
    def active(self) -> bool:
        """a joint that is not active does nothing; default true"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def bodies(self) -> str:
        """the two bodies; "world" is the world itself. A rail has three (an end, the point, the
        other end), a polygon more (a corner, the point, the other corners)"""
    @property
    def collide(self) -> bool:
        """whether the two bodies collide with each other; default false"""
    @collide.setter
    def collide(self, value: bool) -> None: ...
    @property
    def gap(self) -> float | None:
        """[m] gap"""
    @property
    def length(self) -> float | None:
        """[m] of a distance joint or rope; default the distance of the anchors"""
    @property
    def misalignment(self) -> float | None:
        """[rad] misalignment"""
    @property
    def reaction_force(self) -> Array:
        """[N] reaction force"""
    @property
    def reaction_torque(self) -> Array:
        """[N m] reaction torque"""
    @property
    def type(self) -> str:
        """what the joint takes away"""
    @property
    def velocity_only(self) -> bool:
        """joins velocities only and lets positions drift; default false"""
    @velocity_only.setter
    def velocity_only(self, value: bool) -> None: ...
    @property
    def breaking(self) -> JointBreaking: ...
    @property
    def friction(self) -> JointFriction: ...
    @property
    def limits(self) -> JointLimits: ...

class MotorProperties:
    @property
    def control(self) -> str:
        """control"""
    @property
    def coordinate(self) -> str:
        """what it drives; default the angle where the joint has one, else the position"""
    @property
    def curve(self) -> dict[str, Any]:
        """[rad or rad/s or N m or m or m/s] curve"""
    @curve.setter
    def curve(self, value: SupportsFloat | Sequence[tuple[float, float]] | dict[str, Any]) -> None: ...
    @property
    def derivative_time(self) -> float:
        """[s] default 0 (no derivative part)"""
    @derivative_time.setter
    def derivative_time(self, value: SupportsFloat) -> None: ...
    @property
    def effort_now(self) -> float | None:
        """[N m or N] effort now"""
    @property
    def gain(self) -> float:
        """effort per unit of error"""
    @gain.setter
    def gain(self, value: SupportsFloat) -> None: ...
    @property
    def integral_time(self) -> float | None:
        """[s] default none (no integral part)"""
    @integral_time.setter
    def integral_time(self, value: SupportsFloat | None) -> None: ...
    @property
    def joint(self) -> str:
        """the joint it drives"""
    @property
    def max_effort(self) -> float | None:
        """[N m or N] largest effort; default none"""
    @max_effort.setter
    def max_effort(self, value: SupportsFloat | None) -> None: ...

class SpringItem(Item):
    @property
    def bodies(self) -> str:
        """the two bodies"""
    @property
    def damping(self) -> float:
        """[N s/m] default 0"""
    @damping.setter
    def damping(self, value: SupportsFloat) -> None: ...
    @property
    def isotropic(self) -> bool:
        """damp sideways motion too; default false"""
    @isotropic.setter
    def isotropic(self, value: bool) -> None: ...
    @property
    def length(self) -> float:
        """[m] rest length; default the distance of the anchors"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def length_now(self) -> float | None:
        """[m] length now"""
    @property
    def stiffness(self) -> float:
        """[N/m] force per length"""
    @stiffness.setter
    def stiffness(self, value: SupportsFloat) -> None: ...

class ConstraintLink_1(Group):
    @property
    def body(self) -> str:
        """link 1.body"""
    @property
    def goal(self) -> Array:
        """[m] link 1.goal"""
    @goal.setter
    def goal(self, value: ArrayLike) -> None: ...

class ConstraintLink_2(Group):
    @property
    def body(self) -> str:
        """link 2.body"""
    @property
    def curve(self) -> str:
        """link 2.curve"""
    @property
    def goal(self) -> Array:
        """[m] link 2.goal"""
    @goal.setter
    def goal(self, value: ArrayLike) -> None: ...
    @property
    def x(self) -> str:
        """link 2.x"""
    @x.setter
    def x(self, value: str) -> None: ...
    @property
    def y(self) -> str:
        """link 2.y"""
    @y.setter
    def y(self, value: str) -> None: ...
    @property
    def z(self) -> str:
        """link 2.z"""
    @z.setter
    def z(self, value: str) -> None: ...

class ConstraintLink_3(Group):
    @property
    def body(self) -> str:
        """link 3.body"""

class ConstraintLink_4(Group):
    @property
    def body(self) -> str:
        """link 4.body"""

class ConstraintItem(Item):
    @property
    def active(self) -> bool:
        """a constraint that is not active does nothing; default true"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def alpha(self) -> float | None:
        """[1/s] its own speed of settling; default that of [lagrange]"""
    @alpha.setter
    def alpha(self, value: SupportsFloat | None) -> None: ...
    @property
    def breaking(self) -> float | None:
        """[N] load at which it switches itself off; default none"""
    @breaking.setter
    def breaking(self, value: SupportsFloat | None) -> None: ...
    @property
    def collide(self) -> bool:
        """whether the bodies that it links collide with each other; default false"""
    @collide.setter
    def collide(self, value: bool) -> None: ...
    @property
    def end(self) -> str:
        """what happens at the end of a path; default "stop" """
    @end.setter
    def end(self, value: str | int) -> None: ...
    @property
    def error(self) -> str:
        """error"""
    @property
    def gamma(self) -> float | None:
        """its own beta/alpha; default that of [lagrange]"""
    @gamma.setter
    def gamma(self, value: SupportsFloat | None) -> None: ...
    @property
    def length(self) -> float:
        """[m] of a distance; default the present one"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def one_sided(self) -> bool:
        """rows need only stay at or above zero; default false"""
    @one_sided.setter
    def one_sided(self, value: bool) -> None: ...
    @property
    def speed(self) -> float:
        """[m/s] along the curve of a path; default 1"""
    @speed.setter
    def speed(self, value: SupportsFloat) -> None: ...
    @property
    def type(self) -> str:
        """what it demands"""
    @property
    def link_1(self) -> ConstraintLink_1: ...
    @property
    def link_2(self) -> ConstraintLink_2: ...
    @property
    def link_3(self) -> ConstraintLink_3: ...
    @property
    def link_4(self) -> ConstraintLink_4: ...

class ControllerLink_1(Group):
    @property
    def body(self) -> str:
        """link 1.body"""
    @property
    def goal(self) -> Array:
        """[m] link 1.goal"""
    @goal.setter
    def goal(self, value: ArrayLike) -> None: ...
    @property
    def x(self) -> str:
        """link 1.x"""
    @x.setter
    def x(self, value: str) -> None: ...
    @property
    def y(self) -> str:
        """link 1.y"""
    @y.setter
    def y(self, value: str) -> None: ...
    @property
    def z(self) -> str:
        """link 1.z"""
    @z.setter
    def z(self, value: str) -> None: ...

class ControllerLink_2(Group):
    @property
    def body(self) -> str:
        """link 2.body"""
    @property
    def goal(self) -> Array:
        """[m] link 2.goal"""
    @goal.setter
    def goal(self, value: ArrayLike) -> None: ...

class ControllerItem(Item):
    @property
    def active(self) -> bool:
        """default true"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def alpha(self) -> float:
        """[1/s²] of a trajectory"""
    @alpha.setter
    def alpha(self, value: SupportsFloat) -> None: ...
    @property
    def beta(self) -> float:
        """damping of a trajectory; default 1"""
    @beta.setter
    def beta(self, value: SupportsFloat) -> None: ...
    @property
    def damping(self) -> float:
        """[N s/m] of a spring; default 0"""
    @damping.setter
    def damping(self, value: SupportsFloat) -> None: ...
    @property
    def force(self) -> Array:
        """[N] of a vector"""
    @force.setter
    def force(self, value: ArrayLike) -> None: ...
    @property
    def integral(self) -> float:
        """[N/(m s)] gain of a pid on its integral; default 0"""
    @integral.setter
    def integral(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float | None:
        """[m] rest length of a spring; default the present one"""
    @length.setter
    def length(self, value: SupportsFloat | None) -> None: ...
    @property
    def position(self) -> float:
        """[N/m] gain of a pid on the error"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...
    @property
    def stiffness(self) -> float:
        """[N/m] of a spring"""
    @stiffness.setter
    def stiffness(self, value: SupportsFloat) -> None: ...
    @property
    def type(self) -> str:
        """what it does"""
    @property
    def until(self) -> float | None:
        """[s] acts until then; default always"""
    @until.setter
    def until(self, value: SupportsFloat | None) -> None: ...
    @property
    def velocity(self) -> float:
        """[N s/m] gain of a pid on its rate; default 0"""
    @velocity.setter
    def velocity(self, value: SupportsFloat) -> None: ...
    @property
    def link_1(self) -> ControllerLink_1: ...
    @property
    def link_2(self) -> ControllerLink_2: ...

class FieldItem(Item):
    @property
    def active(self) -> bool:
        """default true"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def center(self) -> Array:
        """[m] of a radial field; default [0, 0, 0]"""
    @center.setter
    def center(self, value: ArrayLike) -> None: ...
    @property
    def gravity(self) -> Array:
        """[m/s²] of a gravity field, on top of the world's"""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def strength(self) -> float:
        """[1/s or N m] of friction (speeds decay as e^(-strength t)) or of a radial field (negative
        attracts)"""
    @strength.setter
    def strength(self, value: SupportsFloat) -> None: ...
    @property
    def type(self) -> str:
        """what it does"""

class CurveItem(Item):
    @property
    def point_1(self) -> Array:
        """[m] point 1"""
    @point_1.setter
    def point_1(self, value: ArrayLike) -> None: ...
    @property
    def point_2(self) -> Array:
        """[m] point 2"""
    @point_2.setter
    def point_2(self, value: ArrayLike) -> None: ...
    @property
    def point_3(self) -> Array:
        """[m] point 3"""
    @point_3.setter
    def point_3(self, value: ArrayLike) -> None: ...
    @property
    def point_4(self) -> Array:
        """[m] point 4"""
    @point_4.setter
    def point_4(self, value: ArrayLike) -> None: ...
    @property
    def point_5(self) -> Array:
        """[m] point 5"""
    @point_5.setter
    def point_5(self, value: ArrayLike) -> None: ...
    @property
    def points(self) -> float | None:
        """control points"""

class ProcedureItem(Item):
    @property
    def active(self) -> bool:
        """default true"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def bodies(self) -> str:
        """the bodies"""
    @property
    def factor(self) -> float:
        """gap that is held, in thresholds; default 2"""
    @factor.setter
    def factor(self, value: SupportsFloat) -> None: ...
    @property
    def threshold(self) -> float:
        """[m] gap at which it acts"""
    @threshold.setter
    def threshold(self, value: SupportsFloat) -> None: ...

class SettingsGround(Group):
    @property
    def friction(self) -> float:
        """coefficient of sliding friction; default 0.5"""
    @friction.setter
    def friction(self, value: SupportsFloat) -> None: ...
    @property
    def material(self) -> str:
        """name for [[contact.pair]]"""
    @material.setter
    def material(self, value: str) -> None: ...
    @property
    def restitution(self) -> float:
        """default 0"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...
    @property
    def rolling(self) -> float:
        """[m] resistance to rolling as a lever arm; default 0"""
    @rolling.setter
    def rolling(self, value: SupportsFloat) -> None: ...
    @property
    def spinning(self) -> float:
        """[m] resistance to spinning about the normal as a lever arm; default 0"""
    @spinning.setter
    def spinning(self, value: SupportsFloat) -> None: ...
    @property
    def static_friction(self) -> float | None:
        """coefficient of static friction; default that of sliding"""
    @static_friction.setter
    def static_friction(self, value: SupportsFloat | None) -> None: ...

class Settings(Item):
    @property
    def alpha(self) -> float:
        """[1/s] speed of settling: a constraint is met after about 5/alpha to 10/alpha; default
        5"""
    @alpha.setter
    def alpha(self, value: SupportsFloat) -> None: ...
    @property
    def gamma(self) -> float:
        """beta/alpha: 1 settles without swinging; default 1"""
    @gamma.setter
    def gamma(self, value: SupportsFloat) -> None: ...
    @property
    def gravity(self) -> Array:
        """[m/s²] default [0, 0, -9.81]"""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def impulse_limit(self) -> float | None:
        """[N s] most impulse of a joint against its position error in one step; default none"""
    @impulse_limit.setter
    def impulse_limit(self, value: SupportsFloat | None) -> None: ...
    @property
    def integrator(self) -> str:
        """how the motion is integrated; default "rk4" """
    @integrator.setter
    def integrator(self, value: str | int) -> None: ...
    @property
    def max_rounds(self) -> float | None:
        """most rounds of correction in a substep; default 30 for factorised and 20 000 for iterated
        joints"""
    @max_rounds.setter
    def max_rounds(self, value: SupportsFloat | None) -> None: ...
    @property
    def method(self) -> str:
        """how the joint equations are solved; default "direct" """
    @method.setter
    def method(self, value: str | int) -> None: ...
    @property
    def order(self) -> str:
        """order of accuracy; default 2"""
    @order.setter
    def order(self, value: str | int) -> None: ...
    @property
    def real_time(self) -> bool:
        """whether view chooses step and steps per frame so that the world keeps up with the clock,
        starting from step (10 to 1000 steps per second); default false. run and the others
        have no clock and take step"""
    @real_time.setter
    def real_time(self, value: bool) -> None: ...
    @property
    def solver(self) -> str:
        """how multipliers are found; default "baraff-svd" """
    @solver.setter
    def solver(self, value: str | int) -> None: ...
    @property
    def stabiliser(self) -> str:
        """what draws constraints together and keeps them there; default "baumgarte" """
    @stabiliser.setter
    def stabiliser(self, value: str | int) -> None: ...
    @property
    def step(self) -> float:
        """[s] time from one report and frame to the next; default 0.01. The engine divides it
        further as the tolerance asks"""
    @step.setter
    def step(self, value: SupportsFloat) -> None: ...
    @property
    def stepping(self) -> str:
        """kind of step; default "auto" """
    @stepping.setter
    def stepping(self, value: str | int) -> None: ...
    @property
    def substeps(self) -> float | None:
        """substeps per step: chosen by the first preview's error, fixed, or by the local error;
        default "auto" """
    @substeps.setter
    def substeps(self, value: SupportsFloat | None) -> None: ...
    @property
    def threads(self) -> float:
        """threads for independent chains and for contacts, 0 for all of the machine; default 1"""
    @threads.setter
    def threads(self, value: SupportsFloat) -> None: ...
    @property
    def time_budget(self) -> float | None:
        """[s] most wall time for a step, which then ends with what it has; default none, in view a
        second or five steps"""
    @time_budget.setter
    def time_budget(self, value: SupportsFloat | None) -> None: ...
    @property
    def tolerance(self) -> float:
        """[m, rad] how exact joints are after each step, in m, rad, m/s and rad/s; default 1e-6
        each"""
    @tolerance.setter
    def tolerance(self, value: SupportsFloat) -> None: ...
    @property
    def velocity_correction(self) -> bool:
        """whether velocities are corrected after each substep; default true"""
    @velocity_correction.setter
    def velocity_correction(self, value: bool) -> None: ...
    @property
    def ground(self) -> SettingsGround: ...
