#!/usr/bin/env python3
"""Distances by coal (the successor of hpp-fcl) for `cargo xtask bench geometry`: reads commands, prints one line for each.

    load mesh|hull FILE   the shape; it is compared with itself           -> ok
    poses FILE            poses of the first copy: x y z qw qx qy qz      -> ok
    time SECONDS          passes over all poses for that long             -> microseconds for a query, mean distance
    warm FILE SECONDS     the same at the poses of FILE, each query with the guess that the query at its pose of before left
    empty                 the cost of a call that does next to nothing    -> microseconds

Times are processor time. `empty` is what the way through Python costs; the caller subtracts it.
"""
import sys
import time

import coal
import numpy as np

clock = time.thread_time


def numbers(path):
    with open(path) as file:
        return [[float(x) for x in line.split()] for line in file]


def load(kind, path):
    rows = numbers(path)
    count = int(rows[0][0])
    vertices = coal.StdVec_Vec3s()
    for row in rows[1 : 1 + count]:
        vertices.append(np.array(row))
    if kind == "hull":
        make = getattr(coal, "Convex", None) or coal.ConvexBase
        shape = make.convexHull(vertices, False, "")
    else:
        triangle = getattr(coal, "Triangle32", None) or coal.Triangle
        triangles = getattr(coal, "StdVec_Triangle32", None) or coal.StdVec_Triangle
        faces = triangles()
        for row in rows[1 + count :]:
            faces.append(triangle(*(int(x) for x in row)))
        shape = coal.BVHModelOBBRSS()
        shape.beginModel(len(faces), count)
        shape.addSubModel(vertices, faces)
        shape.endModel()
    shape.computeLocalAABB()
    return shape


def poses(path):
    made = []
    for x, y, z, w, i, j, k in numbers(path):
        pose = coal.Transform3s()
        pose.setTranslation(np.array([x, y, z]))
        pose.setRotation(
            np.array(
                [
                    [1 - 2 * (j * j + k * k), 2 * (i * j - w * k), 2 * (i * k + w * j)],
                    [2 * (i * j + w * k), 1 - 2 * (i * i + k * k), 2 * (j * k - w * i)],
                    [2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j)],
                ]
            )
        )
        made.append(pose)
    return made


HERE = coal.Transform3s()


def timed(shape, places, requests, seconds):
    """Microseconds for a query and the mean distance."""
    result = coal.DistanceResult()
    total, spent, calls = 0.0, 0.0, 0
    while spent < seconds:
        total = 0.0
        start = clock()
        for place, request in zip(places, requests):
            result.clear()
            total += max(coal.distance(shape, place, shape, HERE, request, result), 0.0)
        spent += clock() - start
        calls += len(places)
    return spent / calls * 1e6, total / len(places)


def warm_requests(shape, places):
    requests = []
    for place in places:
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        coal.distance(shape, place, shape, HERE, request, result)
        request.gjk_initial_guess = coal.GJKInitialGuess.CachedGuess
        request.updateGuess(result)
        requests.append(request)
    return requests


def main():
    shape, places = None, []
    for line in sys.stdin:
        command, *words = line.split()
        plain = [coal.DistanceRequest()] * len(places)
        if command == "load":
            shape = load(*words)
            print("ok", flush=True)
        elif command == "poses":
            places = poses(words[0])
            print("ok", flush=True)
        elif command == "time":
            print(*timed(shape, places, plain, float(words[0])), flush=True)
        elif command == "warm":
            requests = warm_requests(shape, places)
            print(*timed(shape, poses(words[0]), requests, float(words[1])), flush=True)
        elif command == "empty":
            print(*timed(coal.Sphere(0.1), places, plain, 0.02), flush=True)


main()
