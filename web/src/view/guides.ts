// Rails and polygons: joints of a point with what it slides on, the points of other bodies.
import * as THREE from 'three';
import type { JointView } from '../bindings';
import type { Bodies } from './bodies';

/** Whether a joint is a rail or a polygon. */
export const isGuide = (j: JointView): boolean => j.supports.length > 0;

/**
 * The lines of a joint: the rail, the outline of the polygon, or the way between the anchors of any
 * other.
 */
export function lines(j: JointView, bodies: Bodies): [THREE.Vector3, THREE.Vector3][] {
  const points = j.supports.map((s) => bodies.point(s.body, s.point));
  if (!isGuide(j))
    return [[bodies.point(j.bodies[0], j.anchors[0]), bodies.point(j.bodies[1], j.anchors[1])]];
  // a rail is open, an outline closed
  const count = points.length > 2 ? points.length : 1;
  return Array.from({ length: count }, (_, k) => [points[k]!, points[(k + 1) % points.length]!]);
}

/** Where a joint's sign is drawn: on the point of a guide, else between the anchors. */
export function seat(j: JointView, bodies: Bodies): THREE.Vector3 {
  const point = bodies.point(j.bodies[1], j.anchors[1]);
  return isGuide(j)
    ? point
    : point.add(bodies.point(j.bodies[0], j.anchors[0])).multiplyScalar(0.5);
}
