/// What a piece of the screen is for; the look decides how that is shown.
package enum Role: Hashable, Sendable, CaseIterable {
  case plain, quiet, heading
  case bar, barName, barProblem
  case columnHeader
  case progress, progressDone, progressHeld, progressFailed, progressRest
  case good, waiting, problem
  case key, keyLabel
  case dialog, dialogTitle, dialogQuiet, dialogProblem, dialogGood, dialogKey
  case field
}

extension Look {
  package func style(_ role: Role) -> Style {
    switch colors {
    case .none: Self.withoutColor(role)
    case .ansi16: Self.classic(role)
    case .indexed256: Self.indexed(role)
    case .trueColor: Self.direct(role)
    }
  }

  /// The row under the cursor. Without colour it is reversed, all but the progress bar: reversed
  /// blocks would show the opposite of the progress.
  package func select(_ style: inout Style, isBar: Bool) {
    switch colors {
    case .none: if !isBar { style.attributes.insert(.reverse) }
    case .ansi16:
      if !isBar { style = Style(attributes: [.reverse, .bold]) }
    case .indexed256:
      if !isBar || style.background == .standard { style.background = .palette(238) }
      style.attributes.insert(.bold)
      style.attributes.remove(.dim)
    case .trueColor:
      if !isBar || style.background == .standard { style.background = .rgb(52, 60, 72) }
      style.attributes.insert(.bold)
      style.attributes.remove(.dim)
    }
  }

  private static func withoutColor(_ role: Role) -> Style {
    switch role {
    case .plain, .progress, .progressDone, .progressHeld, .progressFailed, .progressRest, .good,
      .waiting, .keyLabel, .dialog, .dialogGood, .quiet, .dialogQuiet:
      .plain
    case .bar: Style(attributes: .reverse)
    case .barName, .barProblem: Style(attributes: [.reverse, .bold])
    case .columnHeader, .field: Style(attributes: .underline)
    case .heading, .problem, .key, .dialogTitle, .dialogProblem, .dialogKey:
      Style(attributes: .bold)
    }
  }

  private static func classic(_ role: Role) -> Style {
    switch role {
    case .plain, .keyLabel, .progressRest, .dialog: .plain
    case .quiet, .dialogQuiet: Style(attributes: .dim)
    case .heading, .dialogTitle: Style(attributes: .bold)
    case .bar: Style(foreground: .palette(7), background: .palette(4))
    case .barName: Style(foreground: .palette(7), background: .palette(4), attributes: .bold)
    case .barProblem: Style(foreground: .palette(7), background: .palette(1), attributes: .bold)
    case .columnHeader, .field: Style(attributes: .underline)
    case .progress: Style(foreground: .palette(6))
    case .progressDone, .good, .dialogGood: Style(foreground: .palette(2))
    case .progressHeld, .waiting: Style(foreground: .palette(3))
    case .progressFailed: Style(foreground: .palette(1))
    case .problem, .dialogProblem: Style(foreground: .palette(1), attributes: .bold)
    case .key, .dialogKey: Style(foreground: .palette(6), attributes: .bold)
    }
  }

  private static func indexed(_ role: Role) -> Style {
    let rest = Color.palette(236)
    return switch role {
    case .plain, .keyLabel, .dialog: .plain
    case .quiet, .columnHeader, .dialogQuiet: Style(foreground: .palette(245))
    case .heading, .dialogTitle: Style(foreground: .palette(153), attributes: .bold)
    case .bar: Style(foreground: .palette(254), background: .palette(24))
    case .barName: Style(foreground: .palette(231), background: .palette(24), attributes: .bold)
    case .barProblem: Style(foreground: .palette(231), background: .palette(124), attributes: .bold)
    case .progress: Style(foreground: .palette(39), background: rest)
    case .progressDone: Style(foreground: .palette(71), background: rest)
    case .progressHeld: Style(foreground: .palette(179), background: rest)
    case .progressFailed: Style(foreground: .palette(131), background: rest)
    case .progressRest: Style(foreground: .palette(242), background: rest)
    case .good, .dialogGood: Style(foreground: .palette(114))
    case .waiting: Style(foreground: .palette(179))
    case .problem, .dialogProblem: Style(foreground: .palette(210))
    case .key, .dialogKey: Style(foreground: .palette(117), attributes: .bold)
    case .field: Style(background: .palette(236))
    }
  }

  private static func direct(_ role: Role) -> Style {
    let rest = Color.rgb(44, 48, 56)
    let white = Color.rgb(245, 247, 250)
    return switch role {
    case .plain, .keyLabel, .dialog: .plain
    case .quiet, .columnHeader, .dialogQuiet: Style(foreground: .rgb(140, 146, 156))
    case .heading, .dialogTitle: Style(foreground: .rgb(158, 206, 250), attributes: .bold)
    case .bar: Style(foreground: .rgb(226, 232, 240), background: .rgb(22, 78, 119))
    case .barName: Style(foreground: white, background: .rgb(22, 78, 119), attributes: .bold)
    case .barProblem: Style(foreground: white, background: .rgb(170, 34, 34), attributes: .bold)
    case .progress: Style(foreground: .rgb(56, 170, 245), background: rest)
    case .progressDone: Style(foreground: .rgb(92, 176, 102), background: rest)
    case .progressHeld: Style(foreground: .rgb(214, 172, 92), background: rest)
    case .progressFailed: Style(foreground: .rgb(186, 84, 84), background: rest)
    case .progressRest: Style(foreground: .rgb(108, 114, 124), background: rest)
    case .good, .dialogGood: Style(foreground: .rgb(130, 208, 138))
    case .waiting: Style(foreground: .rgb(214, 172, 92))
    case .problem, .dialogProblem: Style(foreground: .rgb(255, 138, 138))
    case .key, .dialogKey: Style(foreground: .rgb(130, 205, 255), attributes: .bold)
    case .field: Style(background: rest)
    }
  }
}
