import Foundation
import KettleDashboard

/// Returns the contrast ratio of WCAG 2.2, from 1 to 21.
func contrastRatio(_ one: RGB, _ other: RGB) -> Double {
  let levels = [luminance(one), luminance(other)].sorted()
  return (levels[1] + 0.05) / (levels[0] + 0.05)
}

/// Returns the relative luminance of WCAG 2.2.
private func luminance(_ color: RGB) -> Double {
  0.2126 * intensity(color.red) + 0.7152 * intensity(color.green) + 0.0722 * intensity(color.blue)
}

/// Returns the intensity of a level of sRGB, from 0 to 1.
func intensity(_ level: UInt8) -> Double {
  let share = Double(level) / 255
  return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
}

extension Color {
  /// Its usual value; nil for the terminal's default.
  private var rgb: RGB? {
    switch self {
    case .standard: nil
    case .palette(let index): ColorTable.rgb(index)
    case .rgb(let red, let green, let blue): RGB(red: red, green: green, blue: blue)
    }
  }

  /// Returns the contrast with another color; 0 if one of them is the terminal's default.
  fileprivate func contrast(with other: Color, or shade: RGB?) -> Double {
    guard let rgb, let shade = other.rgb ?? shade else { return 0 }
    return contrastRatio(rgb, shade)
  }
}

extension Style {
  /// Returns the contrast of the text with its background, or with `shade` if that is the
  /// terminal's default; 0 if it is unknown.
  func contrast(on shade: RGB? = nil) -> Double { foreground.contrast(with: background, or: shade) }
}

extension Role {
  /// The roles of text in colors.
  static let texts: [Role] =
    [
      .quiet, .heading, .bar, .barProblem, .columnHeader, .good, .waiting, .problem, .key,
      .dialogTitle, .dialogQuiet, .dialogProblem, .dialogGood, .dialogKey, .boxTitle, .boxKey,
      .attention, .attentionTitle, .attentionChip,
    ] + heat

  /// The roles of progress bars.
  static let bars: [Role] = [.progress, .progressDone, .progressHeld, .progressFailed]
}
