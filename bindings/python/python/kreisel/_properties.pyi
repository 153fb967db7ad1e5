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

class BodyGroups(Group):
    @property
    def member(self) -> str:
        """the groups that the body belongs to, by numbers from 0 to 31; default [0]"""
    @member.setter
    def member(self, value: Any) -> None: ...

class BodyProperties:
    @property
    def center(self) -> Array:
        """[m] centre of mass in the body's frame, instead of the shape's; recorded, NAME.center is
        where it is in the world"""
    @center.setter
    def center(self, value: ArrayLike) -> None: ...
    @property
    def collide(self) -> bool:
        """whether the shape touches other bodies"""
    @collide.setter
    def collide(self, value: bool) -> None: ...
    @property
    def color(self) -> str:
        """colour in the playback"""
    @color.setter
    def color(self, value: Any) -> None: ...
    @property
    def display(self) -> str:
        """shown instead of shape, without mass"""
    @display.setter
    def display(self, value: Any) -> None: ...
    @property
    def friction(self) -> float:
        """coefficient of sliding friction"""
    @friction.setter
    def friction(self, value: SupportsFloat) -> None: ...
    @property
    def inertia(self) -> Array:
        """[kg m²] inertia tensor about the centre of mass, along the body's axes, instead of the
        shape's: three moments [Jx, Jy, Jz], or three rows"""
    @inertia.setter
    def inertia(self, value: ArrayLike) -> None: ...
    @property
    def kind(self) -> str:
        """moved by forces, never, or by its given velocity"""
    @kind.setter
    def kind(self, value: str | int) -> None: ...
    @property
    def mass(self) -> float:
        """[kg] mass; the shape gives the inertia. Live, the inertia changes with it"""
    @mass.setter
    def mass(self, value: SupportsFloat) -> None: ...
    @property
    def material(self) -> str:
        """name of the material for [[contact.pair]]"""
    @material.setter
    def material(self, value: Any) -> None: ...
    @property
    def method(self) -> str:
        """method of the whole chain that this body belongs to; default the world's"""
    @method.setter
    def method(self, value: str | int) -> None: ...
    @property
    def one_way(self) -> str:
        """solid only against bodies that come against this direction of its frame; default none"""
    @one_way.setter
    def one_way(self, value: Any) -> None: ...
    @property
    def restitution(self) -> float:
        """how much of the approach speed comes back"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...
    @property
    def rolling(self) -> float:
        """[m] resistance to rolling as a lever arm"""
    @rolling.setter
    def rolling(self, value: SupportsFloat) -> None: ...
    @property
    def rotation(self) -> Array:
        """[deg] rotation from the body's frame to the world; as three angles: the axis times the
        angle. Default none"""
    @rotation.setter
    def rotation(self, value: ArrayLike) -> None: ...
    @property
    def sensor(self) -> bool:
        """the shape only reports what touches it"""
    @sensor.setter
    def sensor(self, value: bool) -> None: ...
    @property
    def shape(self) -> str:
        """gives the mass properties and the look; live, another one keeps the mass"""
    @shape.setter
    def shape(self, value: Any) -> None: ...
    @property
    def spinning(self) -> float:
        """[m] resistance to spinning about the normal as a lever arm"""
    @spinning.setter
    def spinning(self, value: SupportsFloat) -> None: ...
    @property
    def static_friction(self) -> float | None:
        """coefficient of static friction; default that of sliding"""
    @static_friction.setter
    def static_friction(self, value: SupportsFloat | None) -> None: ...
    @property
    def groups(self) -> BodyGroups: ...

class JointArmature(Group):
    @property
    def angle(self) -> float:
        """[kg m²] about the axis"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float:
        """[kg] along the line through the anchors"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """[kg] along the axis"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...

class JointBreaking(Group):
    @property
    def force(self) -> float | None:
        """[N] largest reaction force; default none"""
    @force.setter
    def force(self, value: SupportsFloat | None) -> None: ...
    @property
    def torque(self) -> float | None:
        """[N m] largest reaction torque; default none"""
    @torque.setter
    def torque(self, value: SupportsFloat | None) -> None: ...

class JointDamping(Group):
    @property
    def angle(self) -> float:
        """[N m s/rad] about the axis"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float:
        """[N s/m] along the line through the anchors"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """[N s/m] along the axis"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...

class JointFriction(Group):
    @property
    def angle(self) -> float:
        """[N m] about the axis"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float:
        """[N] along the line through the anchors"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """[N] along the axis"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...
    @property
    def swing(self) -> float:
        """[N m] between the axes of the two bodies"""
    @swing.setter
    def swing(self, value: SupportsFloat) -> None: ...

class JointGear(Group):
    @property
    def angle(self) -> float:
        """about the axis"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float:
        """along the line through the anchors"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """along the axis"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...

class JointLimitsAngle(Group):
    @property
    def max(self) -> float | None:
        """[rad] upper bound; default none"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[rad] lower bound; default none"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """how much of the speed comes back"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...

class JointLimitsLength(Group):
    @property
    def max(self) -> float | None:
        """[m] upper bound; default none"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[m] lower bound; default none"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """how much of the speed comes back"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...

class JointLimitsPosition(Group):
    @property
    def max(self) -> float | None:
        """[m] upper bound; default none"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[m] lower bound; default none"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """how much of the speed comes back"""
    @restitution.setter
    def restitution(self, value: SupportsFloat) -> None: ...

class JointLimitsSwing(Group):
    @property
    def max(self) -> float | None:
        """[rad] upper bound; default none"""
    @max.setter
    def max(self, value: SupportsFloat | None) -> None: ...
    @property
    def min(self) -> float | None:
        """[rad] lower bound; default none"""
    @min.setter
    def min(self, value: SupportsFloat | None) -> None: ...
    @property
    def restitution(self) -> float:
        """how much of the speed comes back"""
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

class JointRest(Group):
    @property
    def angle(self) -> float:
        """[rad] about the axis"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float:
        """[m] along the line through the anchors"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """[m] along the axis"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...

class JointStiffness(Group):
    @property
    def angle(self) -> float:
        """[N m/rad] about the axis"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float:
        """[N/m] along the line through the anchors"""
    @length.setter
    def length(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """[N/m] along the axis"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...

class JointProperties:
    @property
    def active(self) -> bool:
        """a joint that is not active does nothing"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def at(self) -> Array:
        """[m] the anchor, or one anchor per body (the joint then pulls them together); default the
        origin of frame; live, where they are now"""
    @at.setter
    def at(self, value: ArrayLike) -> None: ...
    @property
    def axis(self) -> Array:
        """hinge axis, rail, line, normal of the plane"""
    @axis.setter
    def axis(self, value: ArrayLike) -> None: ...
    @property
    def axis2(self) -> str:
        """axis on the second body, if it differs; universal and double-rotation joints need it"""
    @axis2.setter
    def axis2(self, value: Any) -> None: ...
    @property
    def bodies(self) -> str:
        """the two bodies; "world" is the world itself. A rail has three (an end, the point, the
        other end), a polygon more (a corner, the point, the other corners)"""
    @bodies.setter
    def bodies(self, value: Any) -> None: ...
    @property
    def collide(self) -> bool:
        """whether the two bodies collide with each other"""
    @collide.setter
    def collide(self, value: bool) -> None: ...
    @property
    def gap(self) -> float | None:
        """[m] gap"""
    @property
    def length(self) -> float | None:
        """[m] of a distance joint or rope; default the distance of the anchors"""
    @length.setter
    def length(self, value: SupportsFloat | None) -> None: ...
    @property
    def misalignment(self) -> float | None:
        """[rad] misalignment"""
    @property
    def parts(self) -> str:
        """of a combined joint: free, plane, line, point or distance; free, angle, axis or fixed"""
    @parts.setter
    def parts(self, value: Any) -> None: ...
    @property
    def reaction_force(self) -> Array:
        """[N] reaction force"""
    @property
    def reaction_torque(self) -> Array:
        """[N m] reaction torque"""
    @property
    def turns(self) -> float:
        """whole turns in the counted angle at the start"""
    @turns.setter
    def turns(self, value: SupportsFloat) -> None: ...
    @property
    def type(self) -> str:
        """what the joint takes away"""
    @type.setter
    def type(self, value: str | int) -> None: ...
    @property
    def velocity_only(self) -> bool:
        """joins velocities only and lets positions drift"""
    @velocity_only.setter
    def velocity_only(self, value: bool) -> None: ...
    @property
    def armature(self) -> JointArmature: ...
    @property
    def breaking(self) -> JointBreaking: ...
    @property
    def damping(self) -> JointDamping: ...
    @property
    def friction(self) -> JointFriction: ...
    @property
    def gear(self) -> JointGear: ...
    @property
    def limits(self) -> JointLimits: ...
    @property
    def rest(self) -> JointRest: ...
    @property
    def stiffness(self) -> JointStiffness: ...

class MotorElectric(Group):
    @property
    def constant(self) -> float:
        """K: effort by current, N m/A or N/A, and voltage by rate, V s/rad or V s/m"""
    @constant.setter
    def constant(self, value: SupportsFloat) -> None: ...
    @property
    def inductance(self) -> float:
        """[H] L, henry"""
    @inductance.setter
    def inductance(self, value: SupportsFloat) -> None: ...
    @property
    def resistance(self) -> float:
        """[ohm] R, ohm"""
    @resistance.setter
    def resistance(self, value: SupportsFloat) -> None: ...
    @property
    def voltage(self) -> dict[str, Any]:
        """[V] voltage on the winding"""
    @voltage.setter
    def voltage(self, value: SupportsFloat | Sequence[tuple[float, float]] | dict[str, Any]) -> None: ...

class MotorServo(Group):
    @property
    def derivative_time(self) -> float:
        """[s] 0 is no derivative part"""
    @derivative_time.setter
    def derivative_time(self, value: SupportsFloat) -> None: ...
    @property
    def gain(self) -> float:
        """effort per unit of error: N m/rad, N/m, …"""
    @gain.setter
    def gain(self, value: SupportsFloat) -> None: ...
    @property
    def integral_time(self) -> float | None:
        """[s] default none (no integral part)"""
    @integral_time.setter
    def integral_time(self, value: SupportsFloat | None) -> None: ...
    @property
    def position(self) -> dict[str, Any]:
        """[m or rad] set value of the coordinate, an angle or in m"""
    @position.setter
    def position(self, value: SupportsFloat | Sequence[tuple[float, float]] | dict[str, Any]) -> None: ...
    @property
    def velocity(self) -> dict[str, Any]:
        """[rad/s] set value of its rate, an angular velocity or in m/s"""
    @velocity.setter
    def velocity(self, value: SupportsFloat | Sequence[tuple[float, float]] | dict[str, Any]) -> None: ...
    @property
    def window(self) -> float | None:
        """past steps that the integral covers: makes the servo the discrete controller of the
        thesis, sampled once a step; without it the servo acts continuously, its integral
        over all of its past"""
    @window.setter
    def window(self, value: SupportsFloat | None) -> None: ...

class MotorProperties:
    @property
    def coordinate(self) -> str:
        """what it drives; default the angle where the joint has one, else the position"""
    @coordinate.setter
    def coordinate(self, value: str | int) -> None: ...
    @property
    def joint(self) -> str:
        """the joint it drives; another one is driven by the coordinate that it has"""
    @joint.setter
    def joint(self, value: Any) -> None: ...
    @property
    def max_effort(self) -> float | None:
        """[N m or N] largest effort; default none"""
    @max_effort.setter
    def max_effort(self, value: SupportsFloat | None) -> None: ...
    @property
    def power_now(self) -> float | None:
        """[W] power now"""
    @property
    def electric(self) -> MotorElectric: ...
    @property
    def servo(self) -> MotorServo: ...

class SpringItem(Item):
    @property
    def at(self) -> str:
        """[m] one anchor per body; live, where they are now"""
    @at.setter
    def at(self, value: Any) -> None: ...
    @property
    def bodies(self) -> str:
        """the two bodies"""
    @bodies.setter
    def bodies(self, value: Any) -> None: ...
    @property
    def damping(self) -> float:
        """[N s/m] force per speed along the spring"""
    @damping.setter
    def damping(self, value: SupportsFloat) -> None: ...
    @property
    def isotropic(self) -> bool:
        """damp sideways motion too"""
    @isotropic.setter
    def isotropic(self, value: bool) -> None: ...
    @property
    def length(self) -> float | None:
        """[m] rest length; default the distance of the anchors"""
    @length.setter
    def length(self, value: SupportsFloat | None) -> None: ...
    @property
    def length_now(self) -> float | None:
        """[m] length now"""
    @property
    def mode(self) -> str:
        """force over a step: following the motion, or as it was at its start"""
    @mode.setter
    def mode(self, value: str | int) -> None: ...
    @property
    def stiffness(self) -> float:
        """[N/m] force per length"""
    @stiffness.setter
    def stiffness(self, value: SupportsFloat) -> None: ...

class ConstraintConnectors(Group):
    pass

class ConstraintItem(Item):
    @property
    def active(self) -> bool:
        """a constraint that is not active does nothing"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def alpha(self) -> float | None:
        """[1/s] its own speed of settling; default that of [lagrange]"""
    @alpha.setter
    def alpha(self, value: SupportsFloat | None) -> None: ...
    @property
    def assemble(self) -> bool:
        """freeze the last body until the constraint is met"""
    @assemble.setter
    def assemble(self, value: bool) -> None: ...
    @property
    def breaking(self) -> float | None:
        """load at which it switches itself off; default none"""
    @breaking.setter
    def breaking(self, value: SupportsFloat | None) -> None: ...
    @property
    def carrier(self) -> str:
        """of a gear whose axes turn: the hinge of the arm that carries them; default none"""
    @carrier.setter
    def carrier(self, value: Any) -> None: ...
    @property
    def collide(self) -> bool:
        """whether the bodies that it links collide with each other"""
    @collide.setter
    def collide(self, value: bool) -> None: ...
    @property
    def coordinates(self) -> str:
        """of a coupling or cam, one per joint; default the angle of a joint that has one, else its
        position"""
    @coordinates.setter
    def coordinates(self, value: Any) -> None: ...
    @property
    def drum(self) -> str:
        """of a cable: the hinge of a drum that gives radius more of it per radian; default none"""
    @drum.setter
    def drum(self, value: Any) -> None: ...
    @property
    def end(self) -> str:
        """what happens at the end of a path; default "stop" """
    @end.setter
    def end(self, value: str | int) -> None: ...
    @property
    def error(self) -> str:
        """error"""
    @property
    def factors(self) -> str:
        """of a coupling, one per joint: factor of the coordinate, or of its powers 1, 2, …; their
        sum keeps value"""
    @factors.setter
    def factors(self, value: Any) -> None: ...
    @property
    def formulas(self) -> str:
        """each has to be zero; variables are t, x1, y1, z1, x2, … (and vx1, … of a velocity-
        expression)"""
    @formulas.setter
    def formulas(self, value: Any) -> None: ...
    @property
    def gamma(self) -> float | None:
        """its own beta/alpha; default that of [lagrange]"""
    @gamma.setter
    def gamma(self, value: SupportsFloat | None) -> None: ...
    @property
    def joints(self) -> str:
        """of a coupling: the joints whose coordinates depend on each other; of a gear or belt the
        hinges of its wheels, of a rack pinion and slider, of a screw the joint (or what
        turns and what moves along), of a differential both shafts and the case, of a cam
        itself and its follower, of a constant-velocity coupling a ball joint along the
        shafts"""
    @joints.setter
    def joints(self, value: Any) -> None: ...
    @property
    def lead(self) -> float:
        """[m] of a screw: way of one turn"""
    @lead.setter
    def lead(self, value: SupportsFloat) -> None: ...
    @property
    def length(self) -> float | None:
        """[m] of a distance or a cable; default the present one"""
    @length.setter
    def length(self, value: SupportsFloat | None) -> None: ...
    @property
    def locked(self) -> str:
        """rows that are left out, counted from 1; default none"""
    @locked.setter
    def locked(self, value: Any) -> None: ...
    @property
    def one_sided(self) -> bool:
        """rows need only stay at or above zero: a follower may lift off, a cable hang loose;
        default false, of a cable true"""
    @one_sided.setter
    def one_sided(self, value: bool) -> None: ...
    @property
    def phase(self) -> str:
        """of a gear, rack, screw, belt, differential or cam: what stands on the right of its
        equation, one number per equation; default as it stands"""
    @phase.setter
    def phase(self, value: Any) -> None: ...
    @property
    def profile(self) -> str:
        """of a cam: position of the follower by the coordinate q of the cam"""
    @profile.setter
    def profile(self, value: Any) -> None: ...
    @property
    def radii(self) -> str:
        """[m] of a belt: radii of the wheels; negative where it runs over its back"""
    @radii.setter
    def radii(self, value: Any) -> None: ...
    @property
    def radius(self) -> float:
        """[m] of a rack: rolling radius of the pinion; of a cable: radius of its drum, negative if
        it winds up"""
    @radius.setter
    def radius(self, value: SupportsFloat) -> None: ...
    @property
    def ratio(self) -> float:
        """of a gear: angle of the second wheel by that of the first; negative where they mesh
        outside"""
    @ratio.setter
    def ratio(self, value: SupportsFloat) -> None: ...
    @property
    def share(self) -> float:
        """of a differential: what the first shaft takes of the torque; default 0.5"""
    @share.setter
    def share(self, value: SupportsFloat) -> None: ...
    @property
    def speed(self) -> float:
        """[m/s] along the curve of a path; default 1"""
    @speed.setter
    def speed(self, value: SupportsFloat) -> None: ...
    @property
    def type(self) -> str:
        """what it demands"""
    @type.setter
    def type(self, value: str | int) -> None: ...
    @property
    def value(self) -> float:
        """of a coupling: what the products sum to, rad or m; default 0"""
    @value.setter
    def value(self, value: SupportsFloat) -> None: ...
    @property
    def connectors(self) -> ConstraintConnectors: ...

class ControllerConnectors(Group):
    pass

class ControllerItem(Item):
    @property
    def active(self) -> bool:
        """a controller that is not active does nothing"""
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
        """[N s/m] of a spring"""
    @damping.setter
    def damping(self, value: SupportsFloat) -> None: ...
    @property
    def direction(self) -> Array:
        """of a thruster, in the frame of its body"""
    @direction.setter
    def direction(self, value: ArrayLike) -> None: ...
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
    def lag(self) -> float:
        """[s] of a thruster: time constant with which it follows; default 0"""
    @lag.setter
    def lag(self, value: SupportsFloat) -> None: ...
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
    def thrust(self) -> float:
        """[N] of a thruster, when it is on for long"""
    @thrust.setter
    def thrust(self, value: SupportsFloat) -> None: ...
    @property
    def type(self) -> str:
        """what it does; another type begins without strength"""
    @type.setter
    def type(self, value: str | int) -> None: ...
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
    def connectors(self) -> ControllerConnectors: ...

class FieldItem(Item):
    @property
    def active(self) -> bool:
        """a field that is not active does nothing"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def center(self) -> Array:
        """[m] of a radial field"""
    @center.setter
    def center(self, value: ArrayLike) -> None: ...
    @property
    def gravity(self) -> Array:
        """[m/s²] of a gravity field, on top of the world's"""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def strength(self) -> float | None:
        """of friction (speeds decay as e^(-strength t), 1/s) or of a radial field (negative
        attracts, N m)"""
    @strength.setter
    def strength(self, value: SupportsFloat | None) -> None: ...
    @property
    def type(self) -> str:
        """what it does; another type begins with a strength of 0"""
    @type.setter
    def type(self, value: str | int) -> None: ...

class CurvePoints(Group):
    pass

class CurveItem(Item):
    @property
    def points(self) -> CurvePoints: ...

class ProcedureItem(Item):
    @property
    def active(self) -> bool:
        """a procedure that is not active does nothing"""
    @active.setter
    def active(self, value: bool) -> None: ...
    @property
    def bodies(self) -> str:
        """the bodies"""
    @bodies.setter
    def bodies(self, value: Any) -> None: ...
    @property
    def factor(self) -> float:
        """gap that is held, in thresholds"""
    @factor.setter
    def factor(self, value: SupportsFloat) -> None: ...
    @property
    def radius(self) -> str:
        """[m] of their bounding spheres; one for all, or one per body"""
    @radius.setter
    def radius(self, value: Any) -> None: ...
    @property
    def threshold(self) -> float:
        """[m] gap at which it acts"""
    @threshold.setter
    def threshold(self, value: SupportsFloat) -> None: ...

class SensorItem(Item):
    @property
    def at(self) -> str:
        """[m] where it is, in the frame of its body; default the body's origin, or the joint's
        anchor"""
    @at.setter
    def at(self, value: Any) -> None: ...
    @property
    def bias(self) -> str:
        """[N or m/s² or rad/s or rad or m or W] added to all numbers (one), or to each (as many as
        it gives; three for "orientation")"""
    @bias.setter
    def bias(self, value: Any) -> None: ...
    @property
    def body(self) -> str:
        """the body that carries it; of "force_torque" and "load_cell" the one that feels the force,
        default the joint's second"""
    @body.setter
    def body(self, value: Any) -> None: ...
    @property
    def coordinate(self) -> str:
        """its coordinate; default the angle where the joint has one, else the position"""
    @coordinate.setter
    def coordinate(self, value: str | int) -> None: ...
    @property
    def delay(self) -> float:
        """[s] time from a sample to when it is given out"""
    @delay.setter
    def delay(self, value: SupportsFloat) -> None: ...
    @property
    def drift(self) -> float:
        """[N or m/s² or rad/s or rad or m or W] random walk of the bias: its standard deviation
        after one second"""
    @drift.setter
    def drift(self, value: SupportsFloat) -> None: ...
    @property
    def fan(self) -> float:
        """[rad] angle from the first ray to the last, half of it to each side of forward; a full
        turn is divided evenly"""
    @fan.setter
    def fan(self, value: SupportsFloat) -> None: ...
    @property
    def forward(self) -> Array:
        """its x axis, in the frame of its body: where rays go and load cells pull"""
    @forward.setter
    def forward(self, value: ArrayLike) -> None: ...
    @property
    def joint(self) -> str:
        """the joint that it reads"""
    @joint.setter
    def joint(self, value: Any) -> None: ...
    @property
    def motor(self) -> str:
        """the motor that it reads"""
    @motor.setter
    def motor(self, value: Any) -> None: ...
    @property
    def noise(self) -> float:
        """[N or m/s² or rad/s or rad or m or W] standard deviation of white noise on every sample,
        in the sensor's unit (rad for "orientation")"""
    @noise.setter
    def noise(self, value: SupportsFloat) -> None: ...
    @property
    def rate(self) -> float | None:
        """[Hz] samples a second, held in between; default one at every step"""
    @rate.setter
    def rate(self, value: SupportsFloat | None) -> None: ...
    @property
    def rays(self) -> float:
        """number of rays"""
    @rays.setter
    def rays(self, value: SupportsFloat) -> None: ...
    @property
    def reach(self) -> float | None:
        """[m] how far rays reach (they read −1 beyond), or how far from the sensor contacts count;
        default no limit"""
    @reach.setter
    def reach(self, value: SupportsFloat | None) -> None: ...
    @property
    def relative_to(self) -> str:
        """the body in whose frame places, rotations and velocities are given, as one sees them who
        turns with it"""
    @relative_to.setter
    def relative_to(self, value: Any) -> None: ...
    @property
    def resolution(self) -> float:
        """[N or m/s² or rad/s or rad or m or W] numbers are rounded to multiples of this; 0 for
        none"""
    @resolution.setter
    def resolution(self, value: SupportsFloat) -> None: ...
    @property
    def saturation(self) -> float | None:
        """[N or m/s² or rad/s or rad or m or W] numbers are cut off at plus and minus this; default
        no bound"""
    @saturation.setter
    def saturation(self, value: SupportsFloat | None) -> None: ...
    @property
    def seed(self) -> float:
        """noise with another seed is another noise; sensors of different names have their own"""
    @seed.setter
    def seed(self, value: SupportsFloat) -> None: ...
    @property
    def type(self) -> str:
        """what it measures"""
    @type.setter
    def type(self, value: str | int) -> None: ...
    @property
    def up(self) -> Array:
        """what its z axis is nearest to: lidars turn about it"""
    @up.setter
    def up(self, value: ArrayLike) -> None: ...
    @property
    def value(self) -> float | None:
        """[rad/s or rad or m] value"""

class SettingsContact(Group):
    @property
    def cone(self) -> str:
        """friction by the sum of the normal impulses, or by the sum of their changes as the thesis
        prints it (stops bodies too early; for comparison)"""
    @cone.setter
    def cone(self, value: str | int) -> None: ...
    @property
    def friction(self) -> str:
        """how two coefficients of friction become one"""
    @friction.setter
    def friction(self, value: str | int) -> None: ...
    @property
    def iteration(self) -> str:
        """the position solve starts from the last step and is extrapolated from sweep to sweep, or
        it is as the thesis has it, without both (slow; for comparison)"""
    @iteration.setter
    def iteration(self, value: str | int) -> None: ...
    @property
    def law(self) -> str:
        """law of impact"""
    @law.setter
    def law(self, value: str | int) -> None: ...
    @property
    def max_events(self) -> float:
        """mode "event": most collisions and checks in a step"""
    @max_events.setter
    def max_events(self, value: SupportsFloat) -> None: ...
    @property
    def max_sweeps(self) -> float | None:
        """most sweeps of the position solve; default 40, more in small islands"""
    @max_sweeps.setter
    def max_sweeps(self, value: SupportsFloat | None) -> None: ...
    @property
    def micro(self) -> str:
        """mode "event": slow collisions reverse the velocity if the impulse, or the velocity, lies
        in the friction cone"""
    @micro.setter
    def micro(self, value: str | int) -> None: ...
    @property
    def mode(self) -> str:
        """all contacts of a step together, or one collision at a time with exact flight in between
        (no joints, springs or motors)"""
    @mode.setter
    def mode(self, value: str | int) -> None: ...
    @property
    def overlap(self) -> float:
        """[m] a fast step in which bodies come to overlap by more is made again (small bodies: by a
        fiftieth of their size)"""
    @overlap.setter
    def overlap(self, value: SupportsFloat) -> None: ...
    @property
    def pair(self) -> str:
        """coefficients of two named materials; those of included files stay"""
    @pair.setter
    def pair(self, value: Any) -> None: ...
    @property
    def plugin(self) -> str:
        """the name under which the program has registered a law for the coefficients of two
        materials, which has the last word; default none. A scene never loads code by
        itself"""
    @plugin.setter
    def plugin(self, value: Any) -> None: ...
    @property
    def precision(self) -> str:
        """sweeps over large heaps of bodies of similar mass (256 contact regions and more, 1 : 100)
        with tolerances from 1e-6 on may use single precision for changes of velocities, or
        all is in double precision"""
    @precision.setter
    def precision(self, value: str | int) -> None: ...
    @property
    def push_speed(self) -> float:
        """[m/s] fastest separation of bodies that overlap"""
    @push_speed.setter
    def push_speed(self, value: SupportsFloat) -> None: ...
    @property
    def restitution(self) -> str:
        """how two restitutions become one"""
    @restitution.setter
    def restitution(self, value: str | int) -> None: ...
    @property
    def shock(self) -> float:
        """sweeps after which contacts that are not solved yet are solved layer by layer from the
        ground upwards (shock propagation); 0 is never"""
    @shock.setter
    def shock(self, value: SupportsFloat) -> None: ...
    @property
    def sleep(self) -> bool:
        """whether groups of bodies that touch and hardly move (1 mm in 0.5 s) stand still until
        something touches them"""
    @sleep.setter
    def sleep(self, value: bool) -> None: ...
    @property
    def time(self) -> str:
        """bodies that meet during a step end it in touch, or the step is cut where they meet"""
    @time.setter
    def time(self, value: str | int) -> None: ...
    @property
    def tolerance(self) -> float:
        """[m] error that the position solve may leave"""
    @tolerance.setter
    def tolerance(self, value: SupportsFloat) -> None: ...
    @property
    def touch(self) -> float:
        """[m] shapes that are closer touch; slower than a fall through this distance is rest"""
    @touch.setter
    def touch(self, value: SupportsFloat) -> None: ...
    @property
    def velocity_sweeps(self) -> float:
        """most sweeps of the velocity solve in a step"""
    @velocity_sweeps.setter
    def velocity_sweeps(self, value: SupportsFloat) -> None: ...

class SettingsLagrange(Group):
    @property
    def accuracy(self) -> float:
        """relative accuracy of the adaptive integrators"""
    @accuracy.setter
    def accuracy(self, value: SupportsFloat) -> None: ...
    @property
    def alpha(self) -> float:
        """[1/s] speed of settling: a constraint is met after about 5/alpha to 10/alpha"""
    @alpha.setter
    def alpha(self, value: SupportsFloat) -> None: ...
    @property
    def contacts(self) -> str:
        """whether contacts and one-sided constraints are solved together with the others"""
    @contacts.setter
    def contacts(self, value: str | int) -> None: ...
    @property
    def damping(self) -> float:
        """strength of damped least squares"""
    @damping.setter
    def damping(self, value: SupportsFloat) -> None: ...
    @property
    def gamma(self) -> float:
        """beta/alpha: 1 settles without swinging"""
    @gamma.setter
    def gamma(self, value: SupportsFloat) -> None: ...
    @property
    def integrator(self) -> str:
        """how the motion is integrated"""
    @integrator.setter
    def integrator(self, value: str | int) -> None: ...
    @property
    def on_singular(self) -> str:
        """what happens to contradictory constraints"""
    @on_singular.setter
    def on_singular(self, value: str | int) -> None: ...
    @property
    def solver(self) -> str:
        """how multipliers are found"""
    @solver.setter
    def solver(self, value: str | int) -> None: ...
    @property
    def stabiliser(self) -> str:
        """what draws constraints together and keeps them there"""
    @stabiliser.setter
    def stabiliser(self, value: str | int) -> None: ...
    @property
    def tolerance(self) -> float:
        """share of the largest singular value below which others count as zero"""
    @tolerance.setter
    def tolerance(self, value: SupportsFloat) -> None: ...
    @property
    def velocity_rate(self) -> float | None:
        """[1/s] speed at which velocity constraints settle; default alpha"""
    @velocity_rate.setter
    def velocity_rate(self, value: SupportsFloat | None) -> None: ...

class SettingsTolerance(Group):
    @property
    def angle(self) -> float:
        """[rad] misalignment of rotation parts"""
    @angle.setter
    def angle(self, value: SupportsFloat) -> None: ...
    @property
    def angular_velocity(self) -> float:
        """[rad/s] relative angular velocity of rotation parts"""
    @angular_velocity.setter
    def angular_velocity(self, value: SupportsFloat) -> None: ...
    @property
    def position(self) -> float:
        """[m] gap of position parts"""
    @position.setter
    def position(self, value: SupportsFloat) -> None: ...
    @property
    def velocity(self) -> float:
        """[m/s] relative velocity of position parts"""
    @velocity.setter
    def velocity(self, value: SupportsFloat) -> None: ...

class Settings(Item):
    @property
    def contacts(self) -> str:
        """whether bodies collide. Bodies that a joint or a constraint links do not"""
    @contacts.setter
    def contacts(self, value: str | int) -> None: ...
    @property
    def duration(self) -> float:
        """[s] how long a run takes unless --until says otherwise"""
    @duration.setter
    def duration(self, value: SupportsFloat) -> None: ...
    @property
    def gravity(self) -> Array:
        """[m/s²] acceleration of free fall"""
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...
    @property
    def ground(self) -> str:
        """[m] height of a horizontal floor below everything; { height = 0, friction = 0.5, … }
        gives it a material; default none"""
    @ground.setter
    def ground(self, value: Any) -> None: ...
    @property
    def impulse_limit(self) -> float | None:
        """[N s] most impulse of a joint against its position error in one step; default none"""
    @impulse_limit.setter
    def impulse_limit(self, value: SupportsFloat | None) -> None: ...
    @property
    def max_rounds(self) -> float | None:
        """most rounds of correction in a substep; default 30 for factorised and 20 000 for iterated
        joints"""
    @max_rounds.setter
    def max_rounds(self, value: SupportsFloat | None) -> None: ...
    @property
    def method(self) -> str:
        """how the joint equations are solved"""
    @method.setter
    def method(self, value: str | int) -> None: ...
    @property
    def order(self) -> str:
        """order of accuracy"""
    @order.setter
    def order(self, value: str | int) -> None: ...
    @property
    def oversampling(self) -> float:
        """steps per row of a recording, where [record] says nothing else"""
    @oversampling.setter
    def oversampling(self, value: SupportsFloat) -> None: ...
    @property
    def real_time(self) -> bool:
        """whether view chooses step and steps per frame so that the world keeps up with the clock,
        starting from step (10 to 1000 steps per second). run and the others have no clock
        and take step"""
    @real_time.setter
    def real_time(self, value: bool) -> None: ...
    @property
    def relaxation(self) -> float:
        """weight of each correction of the iterative method"""
    @relaxation.setter
    def relaxation(self, value: SupportsFloat) -> None: ...
    @property
    def rotation(self) -> str:
        """how free bodies turn"""
    @rotation.setter
    def rotation(self, value: Any) -> None: ...
    @property
    def step(self) -> float:
        """[s] time from one report and frame to the next, which the engine divides further as the
        tolerance asks"""
    @step.setter
    def step(self, value: SupportsFloat) -> None: ...
    @property
    def stepping(self) -> str:
        """kind of step"""
    @stepping.setter
    def stepping(self, value: str | int) -> None: ...
    @property
    def substeps(self) -> str:
        """substeps per step: chosen by the first preview's error, fixed, or by the local error"""
    @substeps.setter
    def substeps(self, value: Any) -> None: ...
    @property
    def threads(self) -> float:
        """threads for independent chains and for contacts, 0 for all of the machine"""
    @threads.setter
    def threads(self, value: SupportsFloat) -> None: ...
    @property
    def time(self) -> float:
        """[s] time at the start"""
    @time.setter
    def time(self, value: SupportsFloat) -> None: ...
    @property
    def time_budget(self) -> float | None:
        """[s] most wall time for a step, which then ends with what it has; default none, in view a
        second or five steps"""
    @time_budget.setter
    def time_budget(self, value: SupportsFloat | None) -> None: ...
    @property
    def velocity_correction(self) -> bool:
        """whether velocities are corrected after each substep"""
    @velocity_correction.setter
    def velocity_correction(self, value: bool) -> None: ...
    @property
    def warm_start(self) -> bool:
        """whether joint correction starts from the last step's impulses"""
    @warm_start.setter
    def warm_start(self, value: bool) -> None: ...
    @property
    def contact(self) -> SettingsContact: ...
    @property
    def lagrange(self) -> SettingsLagrange: ...
    @property
    def tolerance(self) -> SettingsTolerance: ...
