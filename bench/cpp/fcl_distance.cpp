// Distances by FCL for `cargo xtask bench geometry`: the commands of bench/python/coal_distance.py, without `warm` and `empty`.
#include <fcl/fcl.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using Geometry = fcl::CollisionGeometry<double>;
using Pose = fcl::Transform3<double>;
using Vector = fcl::Vector3<double>;

static double clock_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static std::shared_ptr<Geometry> load(const std::string& kind, const std::string& path) {
  std::ifstream file(path);
  int vertex_count = 0, triangle_count = 0;
  file >> vertex_count >> triangle_count;
  std::vector<Vector> vertices(vertex_count);
  for (auto& v : vertices) file >> v[0] >> v[1] >> v[2];
  std::vector<fcl::Triangle> triangles(triangle_count);
  auto faces = std::make_shared<std::vector<int>>();
  for (auto& t : triangles) {
    int a, b, c;
    file >> a >> b >> c;
    t = fcl::Triangle(a, b, c);
    faces->insert(faces->end(), {3, a, b, c});
  }
  std::shared_ptr<Geometry> shape;
  if (kind == "mesh") {
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSS<double>>>();
    model->beginModel(triangle_count, vertex_count);
    model->addSubModel(vertices, triangles);
    model->endModel();
    shape = model;
  } else {
    auto points = std::make_shared<const std::vector<Vector>>(vertices);
    shape = std::make_shared<fcl::Convex<double>>(points, triangle_count, faces, false);
  }
  shape->computeLocalAABB();
  return shape;
}

static std::vector<Pose> read_poses(const std::string& path) {
  std::ifstream file(path);
  std::vector<Pose> poses;
  double p[7];
  while (file >> p[0]) {
    for (int i = 1; i < 7; i++) file >> p[i];
    Pose pose = Pose::Identity();
    pose.translation() = Vector(p[0], p[1], p[2]);
    pose.linear() = fcl::Quaternion<double>(p[3], p[4], p[5], p[6]).toRotationMatrix();
    poses.push_back(pose);
  }
  return poses;
}

int main() {
  std::shared_ptr<Geometry> shape;
  std::vector<Pose> poses;
  const Pose here = Pose::Identity();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, first, second;
    words >> command >> first >> second;
    if (command == "load") {
      shape = load(first, second);
      std::cout << "ok" << std::endl;
    } else if (command == "poses") {
      poses = read_poses(first);
      std::cout << "ok" << std::endl;
    } else if (command == "time") {
      const double seconds = std::stod(first);
      double total = 0, spent = 0;
      long calls = 0;
      while (spent < seconds) {
        total = 0;
        const double start = clock_seconds();
        for (const Pose& pose : poses) {
          fcl::DistanceRequest<double> request(false);
          fcl::DistanceResult<double> result;
          fcl::distance(shape.get(), pose, shape.get(), here, request, result);
          total += std::max(result.min_distance, 0.0);
        }
        spent += clock_seconds() - start;
        calls += poses.size();
      }
      std::cout.precision(12);
      std::cout << spent / calls * 1e6 << " " << total / poses.size() << std::endl;
    }
  }
}
