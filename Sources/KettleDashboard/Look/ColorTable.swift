/// The 256 colours of xterm: sixteen that the user may have changed, a cube, and greys.
package enum ColorTable {
  private static let levels: [UInt8] = [0, 95, 135, 175, 215, 255]

  /// The defaults of xterm for the first sixteen.
  private static let classic: [RGB] = [
    RGB(0x000000), RGB(0xCD0000), RGB(0x00CD00), RGB(0xCDCD00), RGB(0x0000EE),
    RGB(0xCD00CD), RGB(0x00CDCD), RGB(0xE5E5E5), RGB(0x7F7F7F), RGB(0xFF0000),
    RGB(0x00FF00), RGB(0xFFFF00), RGB(0x5C5CFF), RGB(0xFF00FF), RGB(0x00FFFF),
    RGB(0xFFFFFF),
  ]

  package static func rgb(_ index: UInt8) -> RGB {
    switch index {
    case 0...15: return classic[Int(index)]
    case 16...231:
      let number = Int(index) - 16
      return RGB(
        red: levels[number / 36], green: levels[number / 6 % 6], blue: levels[number % 6])
    case 232...255:
      let level = 8 + 10 * (index - 232)
      return RGB(red: level, green: level, blue: level)
    default: return RGB(0x000000)
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
