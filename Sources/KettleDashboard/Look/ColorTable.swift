/// The 256 colours of xterm: sixteen that the user may have changed, a cube, and greys.
package enum ColorTable {
  private static let levels: [UInt8] = [0, 95, 135, 175, 215, 255]

  /// The defaults of xterm for the first sixteen.
  private static let classic: [RGB] = [
    RGB(0, 0, 0), RGB(205, 0, 0), RGB(0, 205, 0), RGB(205, 205, 0), RGB(0, 0, 238),
    RGB(205, 0, 205), RGB(0, 205, 205), RGB(229, 229, 229), RGB(127, 127, 127), RGB(255, 0, 0),
    RGB(0, 255, 0), RGB(255, 255, 0), RGB(92, 92, 255), RGB(255, 0, 255), RGB(0, 255, 255),
    RGB(255, 255, 255),
  ]

  package static func rgb(_ index: UInt8) -> RGB {
    switch index {
    case 0...15: return classic[Int(index)]
    case 16...231:
      let number = Int(index) - 16
      return RGB(levels[number / 36], levels[number / 6 % 6], levels[number % 6])
    case 232...255:
      let level = 8 + 10 * (index - 232)
      return RGB(level, level, level)
    default: return RGB(0, 0, 0)
    }
  }

  /// Returns the nearest colour of the cube and the greys; the first sixteen can be anything.
  package static func nearest(to color: RGB) -> UInt8 { nearest(to: color, in: 16...255) }

  /// Returns the nearest classic colour, by the usual values of these.
  static func nearestClassic(to color: RGB) -> UInt8 { nearest(to: color, in: 0...15) }

  private static func nearest(to color: RGB, in range: ClosedRange<UInt8>) -> UInt8 {
    var best = (index: range.lowerBound, distance: Int.max)
    for index in range {
      let distance = rgb(index).distance(to: color)
      if distance < best.distance { best = (index, distance) }
    }
    return best.index
  }
}
