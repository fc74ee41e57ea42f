/// A place that breaks a rule.
struct Finding: Hashable, CustomStringConvertible {
  var path: String
  /// From 1; 0 means the file as a whole.
  var line: Int
  var why: String

  var description: String { "\(path):\(line): \(why)" }
}
