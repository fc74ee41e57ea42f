import Foundation
import Testing

@testable import KettleDashboard

struct BuiltInThemeTests {
  private func look(
    _ theme: BuiltInTheme?, _ depth: ColorDepth, colors: [ThemeColor: Color] = [:]
  ) -> Look {
    Look(charset: .utf8, colors: depth, theme: Theme(base: theme, colors: colors))
  }

  private static let writtenRoles: [Role] =
    Role.texts + [.plain, .keyLabel, .dialog, .field, .fieldQuiet]

  @Test(arguments: BuiltInTheme.allCases)
  func `a theme has every color`(theme: BuiltInTheme) {
    for color in ThemeColor.allCases { #expect(theme.colors[color] != nil, "\(color)") }
    #expect(theme.colors[.text]?.classic != nil)
    #expect(theme.colors[.background]?.classic != nil)
  }

  @Test(arguments: [ColorDepth.indexed256, .trueColor], BuiltInTheme.allCases)
  func `all text and all bars of a theme have enough contrast`(
    depth: ColorDepth, theme: BuiltInTheme
  ) {
    let look = look(theme, depth)
    let (textMin, barMin) = theme == .highContrast ? (7.0, 4.5) : (4.5, 3.0)
    for role in Self.writtenRoles {
      let ratio = look.style(role).contrast()
      #expect(ratio >= textMin, "\(role): \(ratio)")
    }
    for role in [Role.plain, .quiet, .heading, .good, .waiting, .problem, .key] + Role.heat {
      var style = look.style(role)
      look.select(&style, isBar: false)
      #expect(style.contrast() >= textMin, "\(role) under the cursor: \(style.contrast())")
    }
    for role in Role.bars + Role.hosts {
      let ratio = look.style(role).contrast()
      #expect(ratio >= barMin, "\(role): \(ratio)")
    }
    // The lines of boxes mean nothing; they are only seen.
    #expect(look.style(.box).contrast() >= 1.4)
  }

  @Test(arguments: [ColorDepth.indexed256, .trueColor], BuiltInTheme.allCases)
  func `hosts and steps of heat have different colors`(depth: ColorDepth, theme: BuiltInTheme) {
    let look = look(theme, depth)
    for roles in [Role.heat, Role.hosts] {
      #expect(Set(roles.map { look.style($0).foreground }).count == roles.count)
    }
  }

  @Test func `a theme has lines of its own where the terminal has them`() {
    #expect(look(.gruvbox, .ansi16).glyphs.corners == ["┌", "┐", "└", "┘"])
    #expect(look(.highContrast, .trueColor).glyphs.vertical == "┃")
    #expect(look(.nord, .trueColor).glyphs == .utf8)
    let theme = Theme(base: .highContrast)
    #expect(Look(charset: .ascii, colors: .none, theme: theme).glyphs == .ascii)
    #expect(Look(charset: .console, colors: .ansi8, theme: theme).glyphs == .console)
  }

  /// The values of the theme itself, whatever the terminal makes of them.
  @Test func `the colors of the high-contrast theme have a ratio of 7 to 1`() throws {
    let colors = BuiltInTheme.highContrast.colors
    func ratio(_ text: ThemeColor, on background: ThemeColor) throws -> Double {
      contrastRatio(try #require(colors[text]).rgb, try #require(colors[background]).rgb)
    }
    for text in [ThemeColor.text, .quiet, .heading, .key, .good, .waiting, .problem] {
      for background in [ThemeColor.background, .selectionBackground, .fieldBackground] {
        #expect(try ratio(text, on: background) >= 7, "\(text) on \(background)")
      }
    }
    #expect(try ratio(.bar, on: .barBackground) >= 7)
    #expect(try ratio(.bar, on: .problemBackground) >= 7)
  }

  @Test(arguments: [ColorDepth.ansi8, .ansi16], BuiltInTheme.allCases)
  func `a theme is legible in the usual values of the classic colors`(
    depth: ColorDepth, theme: BuiltInTheme
  ) {
    let look = look(theme, depth)
    for role in Self.writtenRoles + Role.bars + Role.hosts {
      let ratio = look.style(role).contrast()
      #expect(ratio >= 3, "\(role): \(ratio)")
    }
    #expect(look.style(.plain).background != .standard)
  }

  @Test func `with eight colors bold replaces bright ones, and never changes black text`() {
    let contrast = look(.highContrast, .ansi8)
    #expect(
      contrast.style(.key)
        == Style(foreground: .palette(6), background: .palette(0), attributes: .bold))
    #expect(
      contrast.style(.bar) == Style(foreground: .palette(0), background: .palette(7)))
    #expect(look(.highContrast, .ansi16).style(.key).foreground == .palette(14))
    #expect(
      look(.light, .ansi8).style(.key) == Style(foreground: .palette(4), background: .palette(7)))
    #expect(look(nil, .ansi8).style(.key) == Style(foreground: .palette(3), attributes: .bold))
    let own = look(nil, .ansi8, colors: [.good: .palette(8), .waiting: .palette(11)])
    #expect(own.style(.good) == Style(foreground: .palette(7)))
    #expect(own.style(.waiting) == Style(foreground: .palette(3), attributes: .bold))
  }

  /// Viénot, Brettel and Mollon 1999: what protanopes and deuteranopes see, in linear intensities.
  @Test(
    arguments: [
      [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
      [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    ])
  func `the theme for color blindness tells states apart without red and green`(
    matrix: [[Double]]
  ) throws {
    func seen(_ name: ThemeColor) throws -> [Double] {
      let rgb = try #require(BuiltInTheme.colorBlind.colors[name]).rgb
      let levels = [rgb.red, rgb.green, rgb.blue].map(intensity)
      return matrix.map { row in
        let sum = zip(row, levels).reduce(0.0) { $0 + $1.0 * $1.1 }
        let level = min(max(sum, 0), 1)
        let share = level <= 0.0031308 ? 12.92 * level : 1.055 * pow(level, 1 / 2.4) - 0.055
        return 255 * share
      }
    }
    let groups: [[ThemeColor]] = [
      [.good, .waiting, .problem], [.heat1, .heat3, .heat5],
      [.progress, .progressDone, .progressHeld, .progressFailed],
    ]
    for group in groups {
      for (index, one) in group.enumerated() {
        for other in group[..<index] {
          let squares = try zip(seen(one), seen(other)).reduce(0.0) {
            $0 + ($1.0 - $1.1) * ($1.0 - $1.1)
          }
          #expect(squares.squareRoot() > 60, "\(one) and \(other)")
        }
      }
    }
  }

  @Test(arguments: BuiltInTheme.allCases)
  func `with NO_COLOR a theme has no colors`(theme: BuiltInTheme) {
    let (themed, plain) = (look(theme, .none), look(nil, .none))
    for role in Role.allCases { #expect(themed.style(role) == plain.style(role)) }
  }

  @Test(arguments: [ColorDepth.ansi8, .ansi16, .indexed256, .trueColor])
  func `a theme fills the screen, and without one the terminal's background stays`(
    depth: ColorDepth
  ) {
    let size = ScreenSize(columns: 2, rows: 1)
    let themed = look(.ember, depth)
    let cells = Canvas(size: size, look: themed).frame.cells
    #expect(cells.allSatisfy { $0.style == themed.style(.plain) })
    #expect(themed.style(.plain).background != .standard)
    #expect(themed.style(.quiet).background == themed.style(.plain).background)
    #expect(Canvas(size: size, look: look(nil, depth)).frame == Frame(size: size))
  }

  @Test func `a user's color overrides the theme, and default means like ordinary text`() {
    let look = look(
      .ember, .trueColor, colors: [.key: .rgb(1, 2, 3), .heading: .standard, .bar: .palette(9)])
    #expect(look.style(.key).foreground == .rgb(1, 2, 3))
    #expect(look.style(.heading).foreground == look.style(.plain).foreground)
    #expect(look.style(.bar).foreground == .rgb(255, 0, 0))
    let clear = self.look(.ember, .trueColor, colors: [.background: .standard])
    #expect(clear.style(.good).background == .standard)
    #expect(clear.style(.bar).background != .standard)
  }

  @Test func `a theme does not depend on the terminal's background`() {
    let dark = look(.ember, .trueColor)
    for role in Role.allCases { #expect(dark.on(.light).style(role) == dark.style(role)) }
    let none = look(nil, .trueColor)
    #expect(none.on(.light).style(.key) != none.style(.key))
  }

  @Test(
    arguments: [(2, .none), (8, .ansi8), (16, .ansi16), (88, .ansi16), (256, .indexed256)]
      as [(Int, ColorDepth)])
  func `the number of colors determines the depth`(count: Int, depth: ColorDepth) {
    #expect(ColorDepth(noColor: nil, colorCount: count, isDirect: false) == depth)
    #expect(ColorDepth(noColor: "1", colorCount: count, isDirect: false) == .none)
  }
}
