import Foundation

/// A program of this package, for tests of real processes.
package enum BuiltProgram {
  /// Returns the path of a program in the directory of the tests, which were built with it.
  ///
  /// - Parameter name: the name of its product, such as `kettle`.
  package static func path(of name: String) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(filePath: own).deletingLastPathComponent().path + "/" + name
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    // Some tools load the tests into a program of their own.
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path
    return root + "/.build/debug/" + name
  }
}
