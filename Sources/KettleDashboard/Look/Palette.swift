/// The style of each role in the colors of a theme, limited to the available color depth.
struct Palette {
  private let depth: ColorDepth
  /// Of this depth. The nearest of 256 is searched once for each.
  private var colors: [ThemeColor: Color] = [:]

  init(theme: Theme, depth: ColorDepth) {
    self.depth = depth
    for name in ThemeColor.allCases {
      colors[name] = Self.convert(theme.color(name, isClassic: depth.isClassic), to: depth)
    }
  }

  func style(_ role: Role) -> Style {
    switch depth {
    case .none: Self.withoutColor(role)
    case .ansi8: Self.inEightColors(colored(role))
    case .ansi16, .indexed256, .trueColor: colored(role)
    }
  }

  /// Returns the background for this color; where it is the terminal's default, that of the theme.
  func background(_ name: ThemeColor) -> Color {
    let found = color(name)
    return found == .standard ? color(.background) : found
  }

  func swatch(_ name: ThemeColor) -> Style { Style(foreground: color(name)) }

  private func color(_ name: ThemeColor) -> Color { colors[name] ?? .standard }

  private static func convert(_ color: Color, to depth: ColorDepth) -> Color {
    switch (depth, color) {
    case (.none, _), (_, .standard): .standard
    case (.ansi8, .palette(let index)), (.ansi16, .palette(let index)):
      .palette(index < 16 ? index : ColorTable.nearestClassic(to: ColorTable.rgb(index)))
    case (.ansi8, .rgb(let red, let green, let blue)),
      (.ansi16, .rgb(let red, let green, let blue)):
      .palette(ColorTable.nearestClassic(to: RGB(red: red, green: green, blue: blue)))
    case (.indexed256, .palette(let index)): .palette(index)
    case (.indexed256, .rgb(let red, let green, let blue)):
      .palette(ColorTable.nearest(to: RGB(red: red, green: green, blue: blue)))
    // Where numbers are red-green-blue values, only the first eight are palette colors.
    case (.trueColor, .palette(let index)):
      index < 8 ? .palette(index) : direct(ColorTable.rgb(index))
    case (.trueColor, .rgb(let red, let green, let blue)):
      direct(RGB(red: red, green: green, blue: blue))
    }
  }

  /// The values 0 to 7, which are nearly black, would mean palette colors; 8 replaces them.
  private static func direct(_ value: RGB) -> Color {
    value.red == 0 && value.green == 0 && value.blue < 8
      ? .rgb(0, 0, 8) : .rgb(value.red, value.green, value.blue)
  }

  /// Most terminals with eight colors show bold text in a bright color. Bold therefore replaces
  /// the bright colors, and is left out where it would turn black text gray, or dark text light on
  /// a light background.
  private static func inEightColors(_ style: Style) -> Style {
    var style = style
    if case .palette(let index) = style.foreground, index > 7 {
      style.foreground = .palette(index == 8 ? 7 : index - 8)
      if index > 8 { style.attributes.insert(.bold) }
    }
    if case .palette(let index) = style.background, index > 7 {
      style.background = .palette(index - 8)
    }
    if style.foreground == .palette(0) || style.background == .palette(7) {
      style.attributes.remove(.bold)
    }
    return style
  }

  /// - Parameter classic: Further attributes in the classic colors, which have few shades.
  private func text(
    _ name: ThemeColor, on background: ThemeColor = .background,
    _ attributes: Style.Attributes = [], classic: Style.Attributes = []
  ) -> Style {
    let ink = color(name)
    return Style(
      foreground: ink == .standard ? color(.text) : ink, background: self.background(background),
      attributes: depth.isClassic ? attributes.union(classic) : attributes)
  }

  private static let inks = Dictionary(
    uniqueKeysWithValues: zip(Role.heat + Role.hosts, ThemeColor.heat + ThemeColor.hosts))

  private func colored(_ role: Role) -> Style {
    // In a color of its own, quiet text needs no other sign.
    let dim: Style.Attributes = color(.quiet) == .standard ? .dim : []
    return switch role {
    case .plain, .keyLabel, .dialog: text(.text)
    case .quiet, .dialogQuiet: text(.quiet, classic: dim)
    case .columnHeader: depth.isClassic ? text(.text, .underline) : text(.quiet)
    case .heading, .dialogTitle: text(.heading, .bold)
    case .bar: text(.bar, on: .barBackground)
    case .barProblem: text(.bar, on: .problemBackground, .bold)
    case .progress: text(.progress, on: .progressBackground)
    case .progressDone: text(.progressDone, on: .progressBackground)
    case .progressHeld: text(.progressHeld, on: .progressBackground)
    case .progressFailed: text(.progressFailed, on: .progressBackground)
    case .progressRest: text(.quiet, on: .progressBackground)
    case .good, .dialogGood: text(.good)
    case .waiting: text(.waiting)
    case .problem, .dialogProblem: text(.problem, classic: .bold)
    case .key, .dialogKey: text(.key, .bold)
    case .field: text(.text, on: .fieldBackground, classic: .underline)
    case .fieldQuiet: text(.quiet, on: .fieldBackground, classic: dim.union(.underline))
    case .box, .track: text(.box, classic: color(.box) == .standard ? .dim : [])
    case .boxTitle: text(.heading, .bold)
    case .boxKey: text(.key)
    case .attention, .attentionBox: text(.attention)
    case .attentionTitle: text(.attention, .bold)
    case .attentionChip: text(.attentionText, on: .attention, .bold)
    case .heat1, .heat2, .heat3, .heat4, .heat5, .host1, .host2, .host3, .host4, .host5, .host6,
      .host7, .host8:
      text(Self.inks[role] ?? .text)
    }
  }

  private static func withoutColor(_ role: Role) -> Style {
    switch role {
    case .plain, .progress, .progressDone, .progressHeld, .progressFailed, .progressRest, .good,
      .waiting, .keyLabel, .dialog, .dialogGood, .quiet, .dialogQuiet, .box, .track,
      .attentionBox, .heat1, .heat2, .heat3, .heat4, .heat5, .host1, .host2, .host3, .host4,
      .host5, .host6, .host7, .host8:
      .plain
    case .bar: Style(attributes: .reverse)
    case .barProblem, .attentionChip: Style(attributes: [.reverse, .bold])
    case .columnHeader, .field, .fieldQuiet: Style(attributes: .underline)
    case .heading, .problem, .key, .dialogTitle, .dialogProblem, .dialogKey, .boxTitle, .boxKey,
      .attention, .attentionTitle:
      Style(attributes: .bold)
    }
  }
}

/// The 256 colors of xterm: sixteen that the user may have changed, a cube, and grays.
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

  /// Returns the nearest color of the cube and the grays; the first sixteen can be anything.
  package static func nearest(to color: RGB) -> UInt8 { nearest(to: color, in: 16...255) }

  /// Returns the nearest classic color, by the usual values of these.
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

/// A color as red, green and blue.
package struct RGB: Hashable, Sendable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// For example `0x1D2021`; bits above 24 are ignored.
  package init(_ hexadecimal: UInt32) {
    red = UInt8(hexadecimal >> 16 & 255)
    green = UInt8(hexadecimal >> 8 & 255)
    blue = UInt8(hexadecimal & 255)
  }

  /// `#rrggbb`.
  package init?(hexadecimal text: String) {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit),
      let number = UInt32(digits, radix: 16)
    else { return nil }
    self.init(number)
  }

  /// Parses a terminal's reply to the query for its background (OSC 11 of xterm): `11;rgb:` and
  /// three numbers of one to four hexadecimal digits between slashes.
  package init?(backgroundReply text: String) {
    let prefixes = ["11;rgb:", "11;rgba:"]
    guard let prefix = prefixes.first(where: { text.hasPrefix($0) }) else { return nil }
    let parts = text.dropFirst(prefix.utf8.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 4 else { return nil }
    let levels = parts.prefix(3).compactMap { part -> UInt8? in
      guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
        let number = Int(part, radix: 16)
      else { return nil }
      return UInt8(number * 255 / (1 << (4 * part.utf8.count) - 1))
    }
    guard levels.count == 3 else { return nil }
    self.init(red: levels[0], green: levels[1], blue: levels[2])
  }

  /// Whether dark text is more legible on it than light text, by the weights of ITU-R BT.601.
  package var isLight: Bool {
    Int(red) * 299 + Int(green) * 587 + Int(blue) * 114 > 127_500
  }

  func distance(to other: RGB) -> Int {
    func squared(_ one: UInt8, _ two: UInt8) -> Int {
      (Int(one) - Int(two)) * (Int(one) - Int(two))
    }
    return squared(red, other.red) + squared(green, other.green) + squared(blue, other.blue)
  }
}

/// The purpose of a piece of the screen; the look determines its style.
package enum Role: UInt8, Hashable, Sendable, CaseIterable {
  case plain, quiet, heading
  case bar, barProblem
  case columnHeader
  case progress, progressDone, progressHeld, progressFailed, progressRest
  case good, waiting, problem
  case key, keyLabel
  case dialog, dialogTitle, dialogQuiet, dialogProblem, dialogGood, dialogKey
  case field, fieldQuiet
  /// The lines of a box, and what its border says: a title, and the key that focuses the box.
  case box, boxTitle, boxKey
  /// The missing part of a bar that is a line.
  case track
  /// What waits for the user; `attentionChip` is the inverse, for the title.
  case attention, attentionBox, attentionTitle, attentionChip
  /// From slow to fast.
  case heat1, heat2, heat3, heat4, heat5
  /// A color for each host.
  case host1, host2, host3, host4, host5, host6, host7, host8

  /// The roles of speeds, from slow to fast.
  package static let heat: [Role] = [.heat1, .heat2, .heat3, .heat4, .heat5]
  package static let hosts: [Role] = [
    .host1, .host2, .host3, .host4, .host5, .host6, .host7, .host8,
  ]
}
