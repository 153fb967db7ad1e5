"""Methods that add items, with the keys of the scene format.

Written by tools/generate.py from the tables of the format: do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._native import Body, Joint, Motor
    from ._properties import (
        ConstraintItem,
        ControllerItem,
        CurveItem,
        FieldItem,
        ProcedureItem,
        SensorItem,
        SpringItem,
    )


class Builders:
    """What a scene can say, as methods; keys that are left out take their defaults."""

    def _add(self, table: str, keys: dict[str, Any]) -> Any:
        raise NotImplementedError

    def add_body(
        self,
        *,
        name: Any = None,
        kind: Any = None,
        shape: Any = None,
        mass: Any = None,
        density: Any = None,
        center: Any = None,
        inertia: Any = None,
        position: Any = None,
        rotation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        now: Any = None,
        method: Any = None,
        collide: Any = None,
        material: Any = None,
        restitution: Any = None,
        friction: Any = None,
        static_friction: Any = None,
        rolling: Any = None,
        spinning: Any = None,
        groups: Any = None,
        sensor: Any = None,
        one_way: Any = None,
        color: Any = None,
        display: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Body:
        """A rigid body or a mass point.

        ``name`` (text): unique name; default "body 1", "body 2", …
        ``kind`` ("static", "dynamic" or "kinematic"): moved by forces, never, or by its given velocity;
            default "dynamic"
        ``shape`` (table ``shape``, array of tables, or "point"): gives the mass properties and the
            look; live, another one keeps the mass
        ``mass`` (kg): mass; the shape gives the inertia. Live, the inertia changes with it
        ``density`` (kg/m³): instead of ``mass``; default 1000
        ``center`` ([x, y, z] m): centre of mass in the body's frame, instead of the shape's; recorded,
            ``NAME.center`` is where it is in the world
        ``inertia`` ([x, y, z] kg m², or [[x, y, z] kg m², [x, y, z] kg m², [x, y, z] kg m²]): inertia
            tensor about the centre of mass, along the body's axes, instead of the shape's: three moments
            [Jx, Jy, Jz], or three rows
        ``position`` ([x, y, z] m): origin of the body's frame; default [0, 0, 0]
        ``rotation`` (a rotation, or [x, y, z] rad): rotation from the body's frame to the world; as
            three angles: the axis times the angle. Default none
        ``velocity`` ([x, y, z] m/s): velocity of the centre of mass; default [0, 0, 0]
        ``angular_velocity`` ([x, y, z] rad/s): in world coordinates; default [0, 0, 0]
        ``now`` (table ``now``): present state of a saved body, set when all joints have been made from
            the poses above
        ``method`` ("direct", "iterative", "cut" or "lagrange"): method of the whole chain that this
            body belongs to; default the world's
        ``collide`` (true or false): whether the shape touches other bodies; default true
        ``material`` (text): name of the material for ``[[contact.pair]]``
        ``restitution`` (number from 0 to 1): how much of the approach speed comes back; default 0
        ``friction`` (number): coefficient of sliding friction; default 0.5
        ``static_friction`` (number): coefficient of static friction; default that of sliding
        ``rolling`` (m): resistance to rolling as a lever arm; default 0
        ``spinning`` (m): resistance to spinning about the normal as a lever arm; default 0
        ``groups`` (table ``groups``): collision groups as lists of numbers from 0 to 31; default member
            [0], with all
        ``sensor`` (true or false): the shape only reports what touches it; default false
        ``one_way`` ([x, y, z]): solid only against bodies that come against this direction of its
            frame; default none
        ``color`` ("#rrggbb" or a name): colour in the playback
        ``display`` (table ``shape``, array of tables, or "point"): shown instead of ``shape``, without
            mass
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Body = self._add(
            "body",
            {
                "name": name, "kind": kind, "shape": shape, "mass": mass, "density": density,
                "center": center, "inertia": inertia, "position": position, "rotation": rotation,
                "velocity": velocity, "angular_velocity": angular_velocity, "now": now, "method":
                method, "collide": collide, "material": material, "restitution": restitution,
                "friction": friction, "static_friction": static_friction, "rolling": rolling,
                "spinning": spinning, "groups": groups, "sensor": sensor, "one_way": one_way,
                "color": color, "display": display, "frame": frame, "repeat": repeat, "let": let,
                "when": when
            },
        )
        return made

    def add_instance(
        self,
        *,
        scene: Any = None,
        name: Any = None,
        position: Any = None,
        rotation: Any = None,
        set: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> None:
        """Another scene inside this one, as often as wished. Its bodies, joints and so on are called
        "name/…"; its ``[world]``, ``[record]`` and ``[camera]`` are not used.

        ``scene`` (file): the scene: TOML, JSON, URDF or MJCF
        ``name`` (text): what its names begin with
        ``position`` ([x, y, z] m): where its origin lies; default [0, 0, 0]
        ``rotation`` (table): how it is turned; default not at all
        ``set`` (table of expressions): other values for its parameters
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Any = self._add(
            "instance",
            {
                "scene": scene, "name": name, "position": position, "rotation": rotation, "set":
                set, "frame": frame, "repeat": repeat, "let": let, "when": when
            },
        )
        del made

    def add_point(
        self,
        *,
        name: Any = None,
        mass: Any = None,
        position: Any = None,
        positions: Any = None,
        velocity: Any = None,
        fixed: Any = None,
        radius: Any = None,
        restitution: Any = None,
        friction: Any = None,
        color: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Body:
        """A mass point, or several of the same kind: a body without rotation.

        ``name`` (text or array of texts): unique name; with ``positions``, "p" gives "p1", "p2", …;
            default "point 1", …
        ``mass`` (kg): default 1; that of a fixed point does not matter
        ``position`` ([x, y, z] m): default [0, 0, 0]
        ``positions`` ([[x, y, z], …] m): instead of ``position``: one point at each place
        ``velocity`` ([x, y, z] m/s): default none
        ``fixed`` (true or false): a suspension, which no force moves; default false
        ``radius`` (m): the point meets obstacles like a ball of this radius that cannot turn; default
            none: it meets nothing
        ``restitution`` (0 to 1): how much of the approach speed comes back from an obstacle; default 0
        ``friction`` (number): coefficient of friction on obstacles; default 0: points slide
        ``color`` ("#rrggbb" or a name): colour in the playback
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Body = self._add(
            "point",
            {
                "name": name, "mass": mass, "position": position, "positions": positions,
                "velocity": velocity, "fixed": fixed, "radius": radius, "restitution": restitution,
                "friction": friction, "color": color, "frame": frame, "repeat": repeat, "let": let,
                "when": when
            },
        )
        return made

    def add_rod(
        self,
        *,
        name: Any = None,
        points: Any = None,
        length: Any = None,
        closed: Any = None,
        braced: Any = None,
        breaking: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Joint:
        """Rods: points keep their distances. A list of points is a chain of rods, from each to the
        next.

        ``name`` (text): unique name; several rods are called "name1", "name2", …; default "rod 1", …
        ``points`` (array of places): two or more: a name of a point or body (its origin; ``*`` stands
            for anything), a fixed place [x, y, z], or ``{ body = name, point = [x, y, z] }``
        ``length`` (m): of each rod; default the present distance
        ``closed`` (true or false): a rod from the last point to the first, too; default false
        ``braced`` (true or false): a rod between any two points, which makes a rigid body of them;
            default false
        ``breaking`` (N): load at which a rod breaks; default never
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Joint = self._add(
            "rod",
            {
                "name": name, "points": points, "length": length, "closed": closed, "braced":
                braced, "breaking": breaking, "frame": frame, "repeat": repeat, "let": let, "when":
                when
            },
        )
        return made

    def add_thread(
        self,
        *,
        name: Any = None,
        points: Any = None,
        length: Any = None,
        closed: Any = None,
        restitution: Any = None,
        breaking: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Joint:
        """Threads: distances that may shrink but not exceed their length. A list of points is a chain
        of threads.

        ``name`` (text): unique name; several threads are called "name1", "name2", …; default "thread
            1", …
        ``points`` (array of places): as in ``[[rod]]``
        ``length`` (m): of each thread; default the present distance
        ``closed`` (true or false): a thread from the last point to the first, too; default false
        ``restitution`` (0 to 1): how much of the speed comes back when a thread goes taut; default 0
        ``breaking`` (N): load at which a thread breaks; default never
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Joint = self._add(
            "thread",
            {
                "name": name, "points": points, "length": length, "closed": closed, "restitution":
                restitution, "breaking": breaking, "frame": frame, "repeat": repeat, "let": let,
                "when": when
            },
        )
        return made

    def add_rail(
        self,
        *,
        name: Any = None,
        point: Any = None,
        on: Any = None,
        along: Any = None,
        ends: Any = None,
        restitution: Any = None,
        friction: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Joint:
        """A point slides without friction on the segment between two places, which may move, or on an
        endless line of the world.

        ``name`` (text): unique name; default "rail 1", …
        ``point`` (a place): what slides: as an item of ``points`` in ``[[rod]]``
        ``on`` (array of two places): the ends of the segment
        ``along`` ([x, y, z]): instead of ``on``: the direction of a line through the present place of
            the point
        ``ends`` (true or false): whether the point stops at the ends of the segment; default true
        ``restitution`` (0 to 1): how much of the speed comes back from the ends; default 0
        ``friction`` (N): largest dry friction along the rail; default 0
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Joint = self._add(
            "rail",
            {
                "name": name, "point": point, "on": on, "along": along, "ends": ends, "restitution":
                restitution, "friction": friction, "frame": frame, "repeat": repeat, "let": let,
                "when": when
            },
        )
        return made

    def add_polygon(
        self,
        *,
        name: Any = None,
        point: Any = None,
        corners: Any = None,
        edges: Any = None,
        restitution: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Joint:
        """A point slides without friction in a plane convex outline, whose corners may move as parts
        of something rigid.

        ``name`` (text): unique name; default "polygon 1", …
        ``point`` (a place): what slides: as an item of ``points`` in ``[[rod]]``
        ``corners`` (array of places): three or more, in their order around the outline
        ``edges`` (true or false): whether the point stays within the outline; default true
        ``restitution`` (0 to 1): how much of the speed comes back from the edges; default 0
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Joint = self._add(
            "polygon",
            {
                "name": name, "point": point, "corners": corners, "edges": edges, "restitution":
                restitution, "frame": frame, "repeat": repeat, "let": let, "when": when
            },
        )
        return made

    def add_joint(
        self,
        *,
        name: Any = None,
        type: Any = None,
        bodies: Any = None,
        at: Any = None,
        axis: Any = None,
        axis2: Any = None,
        parts: Any = None,
        length: Any = None,
        limits: Any = None,
        friction: Any = None,
        stiffness: Any = None,
        damping: Any = None,
        rest: Any = None,
        armature: Any = None,
        gear: Any = None,
        breaking: Any = None,
        velocity_only: Any = None,
        turns: Any = None,
        active: Any = None,
        collide: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Joint:
        """A joint between two bodies. Coordinates count the second body against the first.

        ``name`` (text): unique name; default "joint 1", …
        ``type`` ("ball", "hinge", "slider", "cylindrical", "universal", "fixed", "line", "plane",
            "distance", "translation", "direction", "double-rotation", "rail", "polygon", "rope", "free" or
            "combined"): what the joint takes away
        ``bodies`` (array of names): the two bodies; "world" is the world itself. A rail has three (an
            end, the point, the other end), a polygon more (a corner, the point, the other corners)
        ``at`` ([x, y, z] m, or array of [x, y, z] m): the anchor, or one anchor per body (the joint
            then pulls them together); default the origin of ``frame``; live, where they are now
        ``axis`` ([x, y, z]): hinge axis, rail, line, normal of the plane; default [0, 0, 1]
        ``axis2`` ([x, y, z]): axis on the second body, if it differs; universal and double-rotation
            joints need it
        ``parts`` ([word, word]): of a combined joint: free, plane, line, point or distance; free,
            angle, axis or fixed
        ``length`` (m): of a distance joint or rope; default the distance of the anchors
        ``limits`` (table ``limits``): bounds by coordinate: ``{ angle = ["-90 deg", "90 deg"] }`` or
            ``{ angle = { min = …, max = …, restitution = 0.5 } }``; default none
        ``friction`` (table ``friction``): largest dry friction by coordinate: ``{ angle = 0.1 }``;
            default none
        ``stiffness`` (number, or table ``stiffness``): linear spring on the free coordinate, N m/rad or
            N/m: one number, or one for each coordinate (``{ angle = 20 }``); default none
        ``damping`` (number, or table ``damping``): linear damping, N m s/rad or N s/m, in the same way;
            default none
        ``rest`` (angle or m, or table ``rest``): coordinate at which the spring rests; default 0
        ``armature`` (number, or table ``armature``): inertia of a rotor that turns with the coordinate,
            kg m², or mass that slides with it, kg; default none
        ``gear`` (number, or table ``gear``): how far the rotor turns for a unit of the coordinate: the
            joint feels ``gear``² times its inertia; default 1
        ``breaking`` (table ``breaking``): load at which the joint breaks; default none
        ``velocity_only`` (true or false): joins velocities only and lets positions drift; default false
        ``turns`` (whole number): whole turns in the counted angle at the start; default 0
        ``active`` (true or false): a joint that is not active does nothing; default true
        ``collide`` (true or false): whether the two bodies collide with each other; default false
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Joint = self._add(
            "joint",
            {
                "name": name, "type": type, "bodies": bodies, "at": at, "axis": axis, "axis2":
                axis2, "parts": parts, "length": length, "limits": limits, "friction": friction,
                "stiffness": stiffness, "damping": damping, "rest": rest, "armature": armature,
                "gear": gear, "breaking": breaking, "velocity_only": velocity_only, "turns": turns,
                "active": active, "collide": collide, "frame": frame, "repeat": repeat, "let": let,
                "when": when
            },
        )
        return made

    def add_motor(
        self,
        *,
        name: Any = None,
        joint: Any = None,
        coordinate: Any = None,
        effort: Any = None,
        velocity: Any = None,
        servo: Any = None,
        electric: Any = None,
        max_effort: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> Motor:
        """A motor on a coordinate of a joint; exactly one of ``effort``, ``velocity``, ``servo`` and
        ``electric``. A value over time is a number or ``{ points = [[t, value], …], interpolation =
        "linear" }``.

        ``name`` (text): unique name; default "motor 1", …
        ``joint`` (name of a joint): the joint it drives; another one is driven by the coordinate that
            it has
        ``coordinate`` ("angle", "position", "length" or "swing"): what it drives; default the angle
            where the joint has one, else the position
        ``effort`` (N m or N, or a value over time): gives this torque or force
        ``velocity`` (rad/s or m/s, or a value over time): holds this rate with at most ``max_effort``
        ``servo`` (table ``servo``): follows a set value with a PID controller
        ``electric`` (table ``electric``): turns by the voltage on its winding: a direct-current motor
        ``max_effort`` (N m or N): largest effort; default none
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Motor = self._add(
            "motor",
            {
                "name": name, "joint": joint, "coordinate": coordinate, "effort": effort,
                "velocity": velocity, "servo": servo, "electric": electric, "max_effort":
                max_effort, "repeat": repeat, "let": let, "when": when
            },
        )
        return made

    def add_spring(
        self,
        *,
        name: Any = None,
        bodies: Any = None,
        at: Any = None,
        stiffness: Any = None,
        damping: Any = None,
        length: Any = None,
        mode: Any = None,
        isotropic: Any = None,
        frame: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> SpringItem:
        """A spring with a damper between two points.

        ``name`` (text): unique name; default "spring 1", …
        ``bodies`` ([name, name]): the two bodies
        ``at`` (two points [x, y, z] m, or [x, y, z] m): one anchor per body; live, where they are now
        ``stiffness`` (N/m): force per length
        ``damping`` (N s/m): force per speed along the spring; default 0
        ``length`` (m): rest length; default the distance of the anchors
        ``mode`` ("continuous" or "constant"): force over a step: following the motion, or as it was at
            its start; default "continuous"
        ``isotropic`` (true or false): damp sideways motion too; default false
        ``frame`` (name of a body): positions and directions of this item are given in the frame of that
            body as it stands at the start; default "world"
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: SpringItem = self._add(
            "spring",
            {
                "name": name, "bodies": bodies, "at": at, "stiffness": stiffness, "damping":
                damping, "length": length, "mode": mode, "isotropic": isotropic, "frame": frame,
                "repeat": repeat, "let": let, "when": when
            },
        )
        return made

    def add_force(
        self,
        *,
        name: Any = None,
        body: Any = None,
        force: Any = None,
        torque: Any = None,
        at: Any = None,
        from_: Any = None,
        until: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> None:
        """An outer force or torque on a body, from one time to another.

        ``name`` (text): unique name; default "force 1", …
        ``body`` (name of a body): the body
        ``force`` ([x, y, z] N): force in world coordinates
        ``torque`` ([x, y, z] N m): torque in world coordinates
        ``at`` ([x, y, z] m): where the force acts, in the body's frame; default the centre of mass
        ``from_`` (s): start; default 0
        ``until`` (s): end; default never. A step counts when its start lies between the two
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Any = self._add(
            "force",
            {
                "name": name, "body": body, "force": force, "torque": torque, "at": at, "from_":
                from_, "until": until, "repeat": repeat, "let": let, "when": when
            },
        )
        del made

    def add_show(
        self,
        *,
        body: Any = None,
        shape: Any = None,
        color: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> None:
        """Geometry that is only shown: no mass, no contact.

        ``body`` (name): the body that carries it; default "world"
        ``shape`` (table or array of tables): what is shown, in the body's frame
        ``color`` ("#rrggbb" or a name): its colour
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Any = self._add(
            "show",
            {
                "body": body, "shape": shape, "color": color, "repeat": repeat, "let": let, "when":
                when
            },
        )
        del made

    def add_curve(
        self,
        *,
        name: Any = None,
        points: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> CurveItem:
        """A curve in space: two points make a line, three a parabola, more a cubic spline that starts
        and ends at its outer points.

        ``name`` (text): unique name; default "curve 1", …
        ``points`` (array of [x, y, z] m): control points
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: CurveItem = self._add(
            "curve",
            {
                "name": name, "points": points, "repeat": repeat, "let": let, "when": when
            },
        )
        return made

    def add_constraint(
        self,
        *,
        name: Any = None,
        type: Any = None,
        connectors: Any = None,
        length: Any = None,
        speed: Any = None,
        end: Any = None,
        formulas: Any = None,
        plugin: Any = None,
        parameters: Any = None,
        joints: Any = None,
        coordinates: Any = None,
        factors: Any = None,
        value: Any = None,
        ratio: Any = None,
        teeth: Any = None,
        internal: Any = None,
        carrier: Any = None,
        lead: Any = None,
        radii: Any = None,
        share: Any = None,
        profile: Any = None,
        drum: Any = None,
        radius: Any = None,
        phase: Any = None,
        locked: Any = None,
        one_sided: Any = None,
        active: Any = None,
        alpha: Any = None,
        gamma: Any = None,
        breaking: Any = None,
        collide: Any = None,
        assemble: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> ConstraintItem:
        """A constraint between connectors. The impulse methods hold all but formulas, inequalities,
        locks and equal-velocity-norm. Connectors that are left out become fixed points where their
        partners are.

        ``name`` (text): unique name; default "constraint 1", …
        ``type`` ("point-to-point", "distance", "unit-distance", "orientation", "in-line", "ortho",
            "hinge", "slide", "universal", "point-to-path", "point-to-function", "equal-velocity", "equal-
            velocity-norm", "velocity-to-function", "expression", "velocity-expression", "point-on-curve",
            "cable", "plugin", "coupling", "gear", "rack", "screw", "belt", "differential", "cam" or
            "constant-velocity"): what it demands
        ``connectors`` (array of connectors): points, or two points per axis
        ``length`` (m): of a distance or a cable; default the present one
        ``speed`` (m/s): along the curve of a path; default 1
        ``end`` ("stop" or "reverse"): what happens at the end of a path; default "stop"
        ``formulas`` (array of expression): each has to be zero; variables are t, x1, y1, z1, x2, … (and
            vx1, … of a velocity-expression)
        ``plugin`` (text): of a plugin: the name under which the program has registered the law; a scene
            never loads code by itself
        ``parameters`` (table of numbers): of a plugin: numbers for its law; default those that the law
            declares
        ``joints`` (array of names): of a coupling: the joints whose coordinates depend on each other;
            of a gear or belt the hinges of its wheels, of a rack pinion and slider, of a screw the joint
            (or what turns and what moves along), of a differential both shafts and the case, of a cam
            itself and its follower, of a constant-velocity coupling a ball joint along the shafts
        ``coordinates`` (array of "angle", "position", "length" or "swing"): of a coupling or cam, one
            per joint; default the angle of a joint that has one, else its position
        ``factors`` (array of number, or array of number): of a coupling, one per joint: factor of the
            coordinate, or of its powers 1, 2, …; their sum keeps ``value``
        ``value`` (number): of a coupling: what the products sum to, rad or m; default 0
        ``ratio`` (number): of a gear: angle of the second wheel by that of the first; negative where
            they mesh outside
        ``teeth`` ([number, number]): of a gear, instead of ``ratio``: teeth of both wheels
        ``internal`` (true or false): of a gear with ``teeth``: one wheel is a ring with teeth inside;
            default false
        ``carrier`` (name of a joint): of a gear whose axes turn: the hinge of the arm that carries
            them; default none
        ``lead`` (m): of a screw: way of one turn
        ``radii`` (array of m): of a belt: radii of the wheels; negative where it runs over its back
        ``share`` (number): of a differential: what the first shaft takes of the torque; default 0.5
        ``profile`` (expression): of a cam: position of the follower by the coordinate ``q`` of the cam
        ``drum`` (name of a joint): of a cable: the hinge of a drum that gives ``radius`` more of it per
            radian; default none
        ``radius`` (m): of a rack: rolling radius of the pinion; of a cable: radius of its drum,
            negative if it winds up
        ``phase`` (number, or array of number): of a gear, rack, screw, belt, differential or cam: what
            stands on the right of its equation, one number per equation; default as it stands
        ``locked`` (array of count): rows that are left out, counted from 1; default none
        ``one_sided`` (true or false): rows need only stay at or above zero: a follower may lift off, a
            cable hang loose; default false, of a cable true
        ``active`` (true or false): a constraint that is not active does nothing; default true
        ``alpha`` (1/s): its own speed of settling; default that of ``[lagrange]``
        ``gamma`` (number): its own beta/alpha; default that of ``[lagrange]``
        ``breaking`` (N or N m): load at which it switches itself off; default none
        ``collide`` (true or false): whether the bodies that it links collide with each other; default
            false
        ``assemble`` (true or false): freeze the last body until the constraint is met; default false
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: ConstraintItem = self._add(
            "constraint",
            {
                "name": name, "type": type, "connectors": connectors, "length": length, "speed":
                speed, "end": end, "formulas": formulas, "plugin": plugin, "parameters": parameters,
                "joints": joints, "coordinates": coordinates, "factors": factors, "value": value,
                "ratio": ratio, "teeth": teeth, "internal": internal, "carrier": carrier, "lead":
                lead, "radii": radii, "share": share, "profile": profile, "drum": drum, "radius":
                radius, "phase": phase, "locked": locked, "one_sided": one_sided, "active": active,
                "alpha": alpha, "gamma": gamma, "breaking": breaking, "collide": collide,
                "assemble": assemble, "repeat": repeat, "let": let, "when": when
            },
        )
        return made

    def add_controller(
        self,
        *,
        name: Any = None,
        type: Any = None,
        connectors: Any = None,
        force: Any = None,
        stiffness: Any = None,
        damping: Any = None,
        length: Any = None,
        alpha: Any = None,
        beta: Any = None,
        position: Any = None,
        velocity: Any = None,
        integral: Any = None,
        thrust: Any = None,
        direction: Any = None,
        lag: Any = None,
        plugin: Any = None,
        parameters: Any = None,
        active: Any = None,
        from_: Any = None,
        until: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> ControllerItem:
        """A force that depends on the state.

        ``name`` (text): unique name; default "controller 1", …
        ``type`` ("vector", "spring", "trajectory", "pid", "thruster" or "plugin"): what it does;
            another type begins without strength
        ``connectors`` (array of connectors): one for a vector or thruster, as many as its law takes for
            a plugin, two for the others; the second follows the first on a trajectory
        ``force`` ([x, y, z] N): of a vector
        ``stiffness`` (N/m): of a spring
        ``damping`` (N s/m): of a spring; default 0
        ``length`` (m): rest length of a spring; default the present one
        ``alpha`` (1/s²): of a trajectory
        ``beta`` (number): damping of a trajectory; default 1
        ``position`` (N/m): gain of a pid on the error
        ``velocity`` (N s/m): gain of a pid on its rate; default 0
        ``integral`` (N/(m s)): gain of a pid on its integral; default 0
        ``thrust`` (N): of a thruster, when it is on for long
        ``direction`` ([x, y, z]): of a thruster, in the frame of its body
        ``lag`` (s): of a thruster: time constant with which it follows; default 0
        ``plugin`` (text): of a plugin: the name under which the program has registered the law; a scene
            never loads code by itself
        ``parameters`` (table of numbers): of a plugin: numbers for its law; default those that the law
            declares
        ``active`` (true or false): a controller that is not active does nothing; default true
        ``from_`` (s): acts from then on; default always
        ``until`` (s): acts until then; default always
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: ControllerItem = self._add(
            "controller",
            {
                "name": name, "type": type, "connectors": connectors, "force": force, "stiffness":
                stiffness, "damping": damping, "length": length, "alpha": alpha, "beta": beta,
                "position": position, "velocity": velocity, "integral": integral, "thrust": thrust,
                "direction": direction, "lag": lag, "plugin": plugin, "parameters": parameters,
                "active": active, "from_": from_, "until": until, "repeat": repeat, "let": let,
                "when": when
            },
        )
        return made

    def add_field(
        self,
        *,
        name: Any = None,
        type: Any = None,
        gravity: Any = None,
        strength: Any = None,
        center: Any = None,
        active: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> FieldItem:
        """A force field that acts on every dynamic body.

        ``name`` (text): unique name; default "field 1", …
        ``type`` ("gravity", "friction" or "radial"): what it does; another type begins with a strength
            of 0
        ``gravity`` ([x, y, z] m/s²): of a gravity field, on top of the world's
        ``strength`` (number): of friction (speeds decay as e^(-strength t), 1/s) or of a radial field
            (negative attracts, N m)
        ``center`` ([x, y, z] m): of a radial field; default [0, 0, 0]
        ``active`` (true or false): a field that is not active does nothing; default true
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: FieldItem = self._add(
            "field",
            {
                "name": name, "type": type, "gravity": gravity, "strength": strength, "center":
                center, "active": active, "repeat": repeat, "let": let, "when": when
            },
        )
        return made

    def add_procedure(
        self,
        *,
        name: Any = None,
        bodies: Any = None,
        radius: Any = None,
        threshold: Any = None,
        factor: Any = None,
        active: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> ProcedureItem:
        """Holds bodies at ``factor`` times ``threshold`` while their gap is below the threshold: above
        1 repels, below 1 captures.

        ``name`` (text): unique name; default "procedure 1", …
        ``bodies`` (array of names): the bodies
        ``radius`` (m, or array of m): of their bounding spheres; one for all, or one per body; default
            0
        ``threshold`` (m): gap at which it acts
        ``factor`` (number): gap that is held, in thresholds; default 2
        ``active`` (true or false): a procedure that is not active does nothing; default true
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: ProcedureItem = self._add(
            "procedure",
            {
                "name": name, "bodies": bodies, "radius": radius, "threshold": threshold, "factor":
                factor, "active": active, "repeat": repeat, "let": let, "when": when
            },
        )
        return made

    def add_sensor(
        self,
        *,
        name: Any = None,
        type: Any = None,
        plugin: Any = None,
        parameters: Any = None,
        body: Any = None,
        joint: Any = None,
        coordinate: Any = None,
        motor: Any = None,
        at: Any = None,
        forward: Any = None,
        up: Any = None,
        relative_to: Any = None,
        reach: Any = None,
        rays: Any = None,
        fan: Any = None,
        noise: Any = None,
        bias: Any = None,
        drift: Any = None,
        resolution: Any = None,
        saturation: Any = None,
        rate: Any = None,
        delay: Any = None,
        seed: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> SensorItem:
        """What a machine measures: ``NAME.value`` in recordings, plots, scripts and Python.
        Coordinates, poses and velocities are those at the end of a step; accelerations, forces and
        efforts are means over the step and have no value before the first one
        ([sensors](sensors.md)).

        ``name`` (text): unique name; default "sensor 1", …
        ``type`` ("joint_position", "joint_rate", "joint_effort", "motor_effort", "motor_rate",
            "motor_power", "accelerometer", "gyro", "velocimeter", "orientation", "position", "direction",
            "linear_velocity", "angular_velocity", "linear_acceleration", "angular_acceleration",
            "force_torque", "joint_force", "joint_torque", "load_cell", "contact_force", "touch", "contact",
            "range", "lidar", "clock" or "plugin"): what it measures
        ``plugin`` (text): of a plugin: the name under which the program has registered the law; a scene
            never loads code by itself
        ``parameters`` (table of numbers): of a plugin: numbers for its law; default those that the law
            declares
        ``body`` (name of a body): the body that carries it; of "force_torque" and "load_cell" the one
            that feels the force, default the joint's second
        ``joint`` (name of a joint): the joint that it reads
        ``coordinate`` ("angle", "position", "length" or "swing"): its coordinate; default the angle
            where the joint has one, else the position
        ``motor`` (name of a motor): the motor that it reads
        ``at`` ([x, y, z] m): where it is, in the frame of its body; default the body's origin, or the
            joint's anchor
        ``forward`` ([x, y, z]): its x axis, in the frame of its body: where rays go and load cells
            pull; default [1, 0, 0]
        ``up`` ([x, y, z]): what its z axis is nearest to: lidars turn about it; default [0, 0, 1]
        ``relative_to`` (name of a body): the body in whose frame places, rotations and velocities are
            given, as one sees them who turns with it; default "world"
        ``reach`` (m): how far rays reach (they read −1 beyond), or how far from the sensor contacts
            count; default no limit
        ``rays`` (count): number of rays; default 1
        ``fan`` (angle): angle from the first ray to the last, half of it to each side of ``forward``; a
            full turn is divided evenly; default 0
        ``noise`` (number): standard deviation of white noise on every sample, in the sensor's unit (rad
            for "orientation"); default 0
        ``bias`` (number, or array of number): added to all numbers (one), or to each (as many as it
            gives; three for "orientation"); default 0
        ``drift`` (number): random walk of the bias: its standard deviation after one second; default 0
        ``resolution`` (number): numbers are rounded to multiples of this; 0 for none; default 0
        ``saturation`` (number): numbers are cut off at plus and minus this; default no bound
        ``rate`` (Hz): samples a second, held in between; default one at every step
        ``delay`` (s): time from a sample to when it is given out; default 0
        ``seed`` (count): noise with another seed is another noise; sensors of different names have
            their own; default 0
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: SensorItem = self._add(
            "sensor",
            {
                "name": name, "type": type, "plugin": plugin, "parameters": parameters, "body":
                body, "joint": joint, "coordinate": coordinate, "motor": motor, "at": at, "forward":
                forward, "up": up, "relative_to": relative_to, "reach": reach, "rays": rays, "fan":
                fan, "noise": noise, "bias": bias, "drift": drift, "resolution": resolution,
                "saturation": saturation, "rate": rate, "delay": delay, "seed": seed, "repeat":
                repeat, "let": let, "when": when
            },
        )
        return made

    def add_switch(
        self,
        *,
        at: Any = None,
        item: Any = None,
        active: Any = None,
        body: Any = None,
        kind: Any = None,
        repeat: Any = None,
        let: Any = None,
        when: Any = None,
    ) -> None:
        """Switches something on or off, or changes what moves a body, at a time of the run.

        ``at`` (s): when; the first step that starts then or later
        ``item`` (name): a joint, constraint, controller or field
        ``active`` (true or false): whether the item is on from then on; default true
        ``body`` (name): a body, instead of ``item``
        ``kind`` ("dynamic", "static" or "kinematic"): what moves the body from then on
        ``repeat`` (count, or table of counters): makes the item several times: ``50`` counts ``i`` from
            0 to 49; ``{ i = 10, j = "1..n" }`` nests counters, the last fastest
        ``let`` (table of expressions): names for use in this item's expressions, evaluated for every
            repetition
        ``when`` (condition): the item is made only where this is true (not 0)
        """
        made: Any = self._add(
            "switch",
            {
                "at": at, "item": item, "active": active, "body": body, "kind": kind, "repeat":
                repeat, "let": let, "when": when
            },
        )
        del made
