/// The style of each role in the colours of a theme, limited to the available colour depth.
struct Palette {
  let theme: Theme
  let depth: ColorDepth

  func style(_ role: Role) -> Style {
    switch depth {
    case .none: Self.withoutColor(role)
    case .ansi16: classic(role)
    case .indexed256, .trueColor: colored(role)
    }
  }

  /// Returns the user's colour, or else the theme's, converted to this depth.
  func color(_ color: ThemeColor) -> Color {
    switch (depth, theme.colors[color] ?? Self.builtIn(color, theme.background)) {
    case (.none, _), (_, .standard): .standard
    case (.ansi16, .palette(let index)):
      .palette(index < 16 ? index : ColorTable.nearestClassic(to: ColorTable.rgb(index)))
    case (.ansi16, .rgb(let red, let green, let blue)):
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

  private static func builtIn(_ color: ThemeColor, _ background: Theme.Background) -> Color {
    let value = background.rgb(color)
    return .rgb(value.red, value.green, value.blue)
  }

  /// The values 0 to 7, which are nearly black, would mean palette colours; 8 replaces them.
  private static func direct(_ value: RGB) -> Color {
    value.red == 0 && value.green == 0 && value.blue < 8
      ? .rgb(0, 0, 8) : .rgb(value.red, value.green, value.blue)
  }

  private func colored(_ role: Role) -> Style {
    func text(_ name: ThemeColor, _ attributes: Style.Attributes = []) -> Style {
      Style(foreground: color(name), attributes: attributes)
    }
    func bar(_ name: ThemeColor) -> Style {
      Style(foreground: color(name), background: color(.progressBackground))
    }
    return switch role {
    case .plain, .keyLabel, .dialog: .plain
    case .quiet, .columnHeader, .dialogQuiet: text(.quiet)
    case .heading, .dialogTitle: text(.heading, .bold)
    case .bar: Style(foreground: color(.bar), background: color(.barBackground))
    case .barName:
      Style(foreground: color(.bar), background: color(.barBackground), attributes: .bold)
    case .barProblem:
      Style(foreground: color(.bar), background: color(.problemBackground), attributes: .bold)
    case .progress: bar(.progress)
    case .progressDone: bar(.progressDone)
    case .progressHeld: bar(.progressHeld)
    case .progressFailed: bar(.progressFailed)
    case .progressRest: bar(.quiet)
    case .good, .dialogGood: text(.good)
    case .waiting: text(.waiting)
    case .problem, .dialogProblem: text(.problem)
    case .key, .dialogKey: text(.key, .bold)
    case .field: Style(background: color(.fieldBackground))
    case .fieldQuiet: Style(foreground: color(.quiet), background: color(.fieldBackground))
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

  /// The style in the terminal's own sixteen colours, whose values are unknown: the choice is
  /// legible on most dark, or most light, backgrounds.
  private func classic(_ role: Role) -> Style {
    func pick(
      _ name: ThemeColor, dark: UInt8, light: UInt8, _ attributes: Style.Attributes = []
    ) -> Style {
      if theme.colors[name] != nil { return Style(foreground: color(name), attributes: attributes) }
      let index = theme.background == .dark ? dark : light
      return Style(foreground: .palette(index), attributes: attributes)
    }
    func bar(
      on background: ThemeColor, index: UInt8, _ attributes: Style.Attributes = []
    ) -> Style {
      Style(
        foreground: theme.colors[.bar] == nil ? .palette(7) : color(.bar),
        background: theme.colors[background] == nil ? .palette(index) : color(background),
        attributes: attributes)
    }
    return switch role {
    case .plain, .keyLabel, .progressRest, .dialog: .plain
    case .quiet, .dialogQuiet: Style(attributes: .dim)
    case .heading, .dialogTitle: Style(attributes: .bold)
    case .bar: bar(on: .barBackground, index: 4)
    case .barName: bar(on: .barBackground, index: 4, .bold)
    case .barProblem: bar(on: .problemBackground, index: 1, .bold)
    case .columnHeader, .field: Style(attributes: .underline)
    case .fieldQuiet: Style(attributes: [.underline, .dim])
    case .progress: pick(.progress, dark: 6, light: 4)
    case .progressDone: pick(.progressDone, dark: 2, light: 2)
    case .progressHeld: pick(.progressHeld, dark: 3, light: 5)
    case .progressFailed: pick(.progressFailed, dark: 1, light: 1)
    case .good, .dialogGood: pick(.good, dark: 2, light: 2)
    case .waiting: pick(.waiting, dark: 3, light: 5)
    case .problem, .dialogProblem: pick(.problem, dark: 1, light: 1, .bold)
    case .key, .dialogKey: pick(.key, dark: 6, light: 4, .bold)
    }
  }
}
