import Foundation

/// Programs that a test writes for what it tests to run.
package enum ShellProgram {
  /// Writes a script of the shell that everybody may run.
  ///
  /// Another process writes it: a program that another test starts just then could have a file of
  /// ours open for writing until it runs, and what is open for writing is not run (ETXTBSY of
  /// execve(2)).
  package static func write(_ script: String, to path: String) throws {
    let draft = path + ".draft"
    try ("#!/bin/sh\n" + script + "\n").write(toFile: draft, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: draft) }
    let writer = try Running(
      "/usr/bin/install", ["-m", "755", draft, path], [:], output: "/dev/null")
    guard writer.waitForEnd() == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
