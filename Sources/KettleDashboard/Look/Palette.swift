/// The style of each role in the colours of a theme, limited to the available colour depth.
struct Palette {
  let theme: Theme
  let depth: ColorDepth

  func style(_ role: Role) -> Style {
    switch depth {
    case .none: Self.withoutColor(role)
    case .ansi8: Self.inEightColors(colored(role))
    case .ansi16, .indexed256, .trueColor: colored(role)
    }
  }

  /// Returns the background for this colour; where it is the terminal's default, that of the theme.
  func background(_ name: ThemeColor) -> Color {
    let found = color(name)
    return found == .standard ? color(.background) : found
  }

  private var isClassic: Bool {
    switch depth {
    case .none, .ansi8, .ansi16: true
    case .indexed256, .trueColor: false
    }
  }

  /// Returns the theme's colour converted to this depth.
  private func color(_ name: ThemeColor) -> Color {
    switch (depth, theme.color(name, isClassic: isClassic)) {
    case (.none, _), (_, .standard): .standard
    case (.ansi8, .palette(let index)), (.ansi16, .palette(let index)):
      .palette(index < 16 ? index : ColorTable.nearestClassic(to: ColorTable.rgb(index)))
    case (.ansi8, .rgb(let red, let green, let blue)),
      (.ansi16, .rgb(let red, let green, let blue)):
      .palette(ColorTable.nearestClassic(to: RGB(red: red, green: green, blue: blue)))
    case (.indexed256, .palette(let index)): .palette(index)
    case (.indexed256, .rgb(let red, let green, let blue)):
      .palette(ColorTable.nearest(to: RGB(red: red, green: green, blue: blue)))
    // Where numbers are red-green-blue values, only the first eight are palette colours.
    case (.trueColor, .palette(let index)):
      index < 8 ? .palette(index) : Self.direct(ColorTable.rgb(index))
    case (.trueColor, .rgb(let red, let green, let blue)):
      Self.direct(RGB(red: red, green: green, blue: blue))
    }
  }

  /// The values 0 to 7, which are nearly black, would mean palette colours; 8 replaces them.
  private static func direct(_ value: RGB) -> Color {
    value.red == 0 && value.green == 0 && value.blue < 8
      ? .rgb(0, 0, 8) : .rgb(value.red, value.green, value.blue)
  }

  /// Most terminals with eight colours show bold text in a bright colour. Bold therefore replaces
  /// the bright colours, and is left out where it would turn black text grey, or dark text light on
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

  /// - Parameter classic: Further attributes in the classic colours, which have few shades.
  private func text(
    _ name: ThemeColor, on background: ThemeColor = .background,
    _ attributes: Style.Attributes = [], classic: Style.Attributes = []
  ) -> Style {
    let ink = color(name)
    return Style(
      foreground: ink == .standard ? color(.text) : ink, background: self.background(background),
      attributes: isClassic ? attributes.union(classic) : attributes)
  }

  private func colored(_ role: Role) -> Style {
    // In a colour of its own, quiet text needs no other sign.
    let dim: Style.Attributes = color(.quiet) == .standard ? .dim : []
    return switch role {
    case .plain, .keyLabel, .dialog: text(.text)
    case .quiet, .dialogQuiet: text(.quiet, classic: dim)
    case .columnHeader: isClassic ? text(.text, .underline) : text(.quiet)
    case .heading, .dialogTitle: text(.heading, .bold)
    case .bar: text(.bar, on: .barBackground)
    case .barName: text(.bar, on: .barBackground, .bold)
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
    }
  }

  private static func withoutColor(_ role: Role) -> Style {
    switch role {
    case .plain, .progress, .progressDone, .progressHeld, .progressFailed, .progressRest, .good,
      .waiting, .keyLabel, .dialog, .dialogGood, .quiet, .dialogQuiet:
      .plain
    case .bar: Style(attributes: .reverse)
    case .barName, .barProblem: Style(attributes: [.reverse, .bold])
    case .columnHeader, .field, .fieldQuiet: Style(attributes: .underline)
    case .heading, .problem, .key, .dialogTitle, .dialogProblem, .dialogKey:
      Style(attributes: .bold)
    }
  }
}
