/// What the terminal can show.
package struct Look: Hashable, Sendable {
  package var charset: Charset
  package var colors: ColorDepth

  package init(charset: Charset, colors: ColorDepth) {
    self.charset = charset
    self.colors = colors
  }

  package var glyphs: GlyphSet {
    switch charset {
    case .utf8: .utf8
    case .ascii: .ascii
    }
  }
}

package enum Charset: Hashable, Sendable {
  case utf8, ascii

  /// From the name that `nl_langinfo(CODESET)` gives.
  package init(codeset: String) {
    let letters = codeset.lowercased().filter { $0 != "-" }
    self = letters == "utf8" ? .utf8 : .ascii
  }
}

package enum ColorDepth: Hashable, Sendable {
  case none, ansi16, indexed256, trueColor

  /// - Parameters:
  ///   - noColor: The variable NO_COLOR; set and not empty means no colour (no-color.org).
  ///   - colorCount: How many colours the terminal description has.
  ///   - isDirect: Whether a colour number of the description is a red-green-blue value.
  package init(noColor: String?, colorCount: Int, isDirect: Bool) {
    if let noColor, !noColor.isEmpty {
      self = .none
    } else if isDirect {
      self = .trueColor
    } else if colorCount >= 256 {
      self = .indexed256
    } else {
      self = colorCount >= 8 ? .ansi16 : .none
    }
  }
}
