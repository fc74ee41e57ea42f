/// Options that must not be ignored: who sends them relies on them.
///
/// Those of the command line alone are in `Aria2OptionTable.reliedOn`.
enum RefusedOption {
  /// Returns why an option is refused; nil if it may be passed over.
  static func reason(_ option: OptionText) -> String? {
    switch option.name {
    case "dry-run", "parameterized-uri":
      option.text == "true"
        ? "The option \(option.name) is not supported; leave it out" : nil
    case "select-file", "load-cookies", "certificate", "private-key", "input-file",
      "metalink-file", "torrent-file":
      option.text.isEmpty
        ? nil
        : "The option \(option.name) would read a file of this user; use the commands of Kettle"
    case "save-cookies", "log", "save-session", "server-stat-of":
      option.text.isEmpty
        ? nil
        : "The option \(option.name) would write a file of this user; use the commands of Kettle"
    case _ where option.name.hasPrefix("on-"):
      option.text.isEmpty
        ? nil
        : "The option \(option.name) would run a program, which is not supported"
    default: nil
    }
  }
}
