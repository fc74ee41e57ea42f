import CKettleNcurses
import Glibc
import KettleDashboard

extension NcursesTerminal {
  /// Returns the name of the terminal description to use.
  static func terminalName() throws(TerminalProblem) -> String {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .noTerminal }
    guard let name = environment("TERM") else { throw .nameMissing }
    let colors = environment("COLORTERM")
    guard colors == "truecolor" || colors == "24bit" else { return name }
    // ncurses uses 24-bit colour only with a description that declares it. Many terminals support
    // it but report a name that does not say so.
    return directName(for: name) ?? name
  }

  /// Returns the description of the same terminal with direct colour, if it is installed. With
  /// NO_COLOR it would bring nothing.
  private static func directName(for name: String) -> String? {
    guard environment("NO_COLOR") == nil else { return nil }
    let suffix = "-256color"
    let base = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    let direct = base + "-direct"
    return kettle_has_direct_color(direct) != 0 ? direct : nil
  }

  /// Sets the user's locale, so that the C library knows the terminal's character set.
  static func adoptLocale() -> Charset {
    if setlocale(LC_ALL, "") == nil {
      // The locale is not installed. Its name still indicates what the terminal can show, and
      // C.UTF-8 is always available.
      let name = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") ?? ""
      let codeset = name.split(separator: ".").last.map(String.init) ?? ""
      let modifierless = String(codeset.prefix { $0 != "@" })
      if Charset(codeset: modifierless) == .utf8 { setlocale(LC_CTYPE, "C.UTF-8") }
    }
    return Charset(codeset: kettle_codeset().map { String(cString: $0) } ?? "")
  }

  /// Returns nil when the variable is unset or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
