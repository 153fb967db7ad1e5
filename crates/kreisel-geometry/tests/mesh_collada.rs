//! COLLADA files: transforms, units, polygons, and what is refused.

use kreisel_geometry::Shape;
use kreisel_geometry::mesh::read::{Format, read};

/// A box of 2 × 4 × 6 in centimetres around the origin as quadrilaterals, with a normal beside each
/// vertex, in a node that turns it by 90° about z, stretches it and moves it.
const BOX: &str = r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="box"><mesh>
    <source id="p"><float_array id="pa" count="24">-1 -2 -3  1 -2 -3  1 2 -3  -1 2 -3  -1 -2 3  1 -2 3  1 2 3  -1 2 3</float_array>
      <technique_common><accessor source="#pa" count="8" stride="3"/></technique_common></source>
    <source id="n"><float_array id="na" count="3">0 0 1</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist count="6"><input semantic="NORMAL" source="#n" offset="0"/><input semantic="VERTEX" source="#v" offset="1"/>
      <vcount>4 4 4 4 4 4</vcount>
      <p>0 3 0 2 0 1 0 0  0 4 0 5 0 6 0 7  0 0 0 1 0 5 0 4  0 1 0 2 0 6 0 5  0 2 0 3 0 7 0 6  0 3 0 0 0 4 0 7</p></polylist>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node>
    <translate>10 20 30</translate><rotate>0 0 1 90</rotate>
    <node><scale>1 1 SCALE</scale><instance_geometry url="#box"/></node>
  </node></visual_scene></library_visual_scenes>
</COLLADA>"##;

/// 4 × 2 × 12 cm at (10, 20, 30) cm, turned outwards whether it is mirrored or not.
#[test]
fn a_box_is_where_its_nodes_put_it() {
    for scale in ["2", "-2"] {
        let mesh = read(BOX.replace("SCALE", scale).as_bytes(), Format::Collada).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
        let mass = Shape::Mesh(std::sync::Arc::new(mesh)).mass_properties(1000.0).unwrap();
        // a surface that is turned inwards has no positive volume
        assert!((mass.mass - 1000.0 * 0.04 * 0.02 * 0.12).abs() < 1e-12, "{}", mass.mass);
        assert!(mass.center.distance(glam::DVec3::new(0.1, 0.2, 0.3)) < 1e-12);
        let about_x = mass.mass * (0.02_f64.powi(2) + 0.12_f64.powi(2)) / 12.0;
        assert!((mass.inertia.x_axis.x - about_x).abs() < 1e-12);
    }
}

#[test]
fn what_is_no_mesh_is_refused_by_name() {
    let with = |from: &str, to: &str| BOX.replace("SCALE", "1").replace(from, to);
    let cases = [
        (with("<COLLADA", "<collada").replace("</COLLADA", "</collada"), "<COLLADA>"),
        (with("#box", "#bax"), "bax"),
        (with("4 4 4 4 4 4", "4 4 4 4 4 9"), "without corners"),
        (with("10 20 30", "10 20"), "takes 3 numbers"),
        (with("meter=\"0.01\"", "meter=\"-1\""), "no length"),
        (with("0 3 0 2 0 1", "0 3 0 2 0 99"), "no position"),
        (with("-1 -2 -3", "-1 x -3"), "`x`"),
        (with("polylist", "trifans"), "<trifans>"),
        ("<COLLADA".into(), "COLLADA"),
    ];
    for (text, words) in cases {
        let error = read(text.as_bytes(), Format::Collada).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    // a node that holds itself
    let circle = with("<instance_geometry url=\"#box\"/>", "<instance_node url=\"#me\"/>")
        .replace("<node>\n    <translate>", "<node id=\"me\"><translate>");
    assert!(read(circle.as_bytes(), Format::Collada).is_err());
}
