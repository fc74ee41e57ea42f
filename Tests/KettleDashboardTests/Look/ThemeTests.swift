import KettleModel
import Testing

@testable import KettleDashboard

struct ThemeTests {
  /// Common dark and light terminal backgrounds, including the extremes.
  private static let backgrounds: [(Theme.Background, [RGB])] = [
    (.dark, [RGB(0x000000), RGB(0x282A36), RGB(0x1E1E1E)]),
    (.light, [RGB(0xFFFFFF), RGB(0xFDF6E3), RGB(0xFAFAFA)]),
  ]

  @Test(arguments: [ColorDepth.indexed256, .trueColor], [Theme.Background.dark, .light])
  func `all text has enough contrast`(depth: ColorDepth, background: Theme.Background) {
    let look = Look(charset: .utf8, colors: depth, theme: Theme(background: background))
    for shade in Self.backgrounds.first(where: { $0.0 == background })?.1 ?? [] {
      for role in Role.texts {
        let style = look.style(role)
        let ratio = style.contrast(on: shade)
        #expect(ratio >= 4.5, "\(role) on \(shade): \(ratio)")
      }
    }
  }

  @Test(arguments: [ColorDepth.indexed256, .trueColor], [Theme.Background.dark, .light])
  func `all text in the row under the cursor has enough contrast`(
    depth: ColorDepth, background: Theme.Background
  ) {
    let look = Look(charset: .utf8, colors: depth, theme: Theme(background: background))
    for role in [Role.quiet, .good, .waiting, .problem, .key, .heading] {
      var style = look.style(role)
      look.select(&style, isBar: false)
      let ratio = style.contrast()
      #expect(ratio >= 4.5, "\(role): \(ratio)")
    }
  }

  // WCAG 2.2, 1.4.11: non-text elements need a contrast of 3 to 1.
  @Test(arguments: [ColorDepth.indexed256, .trueColor], [Theme.Background.dark, .light])
  func `a bar contrasts with its empty part`(
    depth: ColorDepth, background: Theme.Background
  ) {
    let look = Look(charset: .utf8, colors: depth, theme: Theme(background: background))
    for role in Role.bars {
      let style = look.style(role)
      let ratio = style.contrast()
      #expect(ratio >= 3, "\(role): \(ratio)")
    }
  }

  @Test func `without color support every role uses the default colors`() {
    for role in Role.allCases {
      let style = Look(charset: .utf8, colors: .none).style(role)
      #expect(style.foreground == .standard && style.background == .standard)
    }
    let theme = Theme(colors: [.progress: .rgb(1, 2, 3), .problem: .palette(9)])
    let none = Look(charset: .utf8, colors: .none, theme: theme)
    #expect(none.style(.progress) == .plain)
  }

  @Test func `user colors override the theme and map to the nearest terminal color`() {
    let theme = Theme(colors: [
      .progress: .rgb(0x38, 0xAA, 0xF5), .problem: .palette(9), .good: .standard,
    ])
    func look(_ depth: ColorDepth) -> Look {
      Look(charset: .utf8, colors: depth, theme: theme)
    }
    #expect(look(.trueColor).style(.progress).foreground == .rgb(0x38, 0xAA, 0xF5))
    #expect(look(.indexed256).style(.progress).foreground == .palette(75))
    #expect(look(.ansi16).style(.progress).foreground == .palette(6))
    #expect(look(.trueColor).style(.problem).foreground == .rgb(255, 0, 0))
    #expect(look(.indexed256).style(.problem).foreground == .palette(9))
    #expect(look(.ansi16).style(.dialogProblem).foreground == .palette(9))
    #expect(look(.trueColor).style(.good).foreground == .standard)
  }

  /// Where colors are red-green-blue numbers, numbers below eight still mean palette colors.
  @Test func `black stays black with indexed colors`() {
    let theme = Theme(colors: [.progress: .rgb(0, 0, 1)])
    let look = Look(charset: .utf8, colors: .trueColor, theme: theme)
    #expect(look.style(.progress).foreground == .rgb(0, 0, 8))
  }

  @Test(
    arguments: [
      ("15;0", .dark), ("0;15", .light), ("0;7", .light), ("12;8", .dark),
      ("0;default;15", .light), ("15;default;0", .dark), ("0;default", nil), ("", nil),
      ("15", nil), ("1;99", nil),
    ] as [(String, Theme.Background?)])
  func `COLORFGBG determines the background`(text: String, background: Theme.Background?) {
    #expect(Theme.Background(COLORFGBG: text) == background)
  }

  @Test(
    arguments: [
      ("11;rgb:ffff/ffff/ffff", RGB(0xFFFFFF)), ("11;rgb:0/f/0", RGB(0x00FF00)),
      ("11;rgba:1e1e/1e1e/1e1e/ffff", RGB(0x1E1E1E)), ("11;rgb:ff/ff", nil),
      ("11;rgb:fffff/0/0", nil), ("10;rgb:ff/ff/ff", nil), ("11;rgb:-1/0/0", nil),
      ("11;rgb:+f/0/0", nil), ("11;#ffffff", nil),
    ] as [(String, RGB?)])
  func `a terminal's reply parses as a color`(text: String, color: RGB?) {
    #expect(RGB(backgroundReply: text) == color)
  }

  @Test func `a background is light if dark text is legible on it`() {
    #expect(RGB(0xFDF6E3).isLight)
    #expect(RGB(0xC8C8C8).isLight)
    #expect(!RGB(0x282A36).isLight)
    #expect(!RGB(0x0000FF).isLight)
  }
}
