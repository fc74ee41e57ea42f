import Foundation

/// Programs that a test writes for the code under test to run.
package enum ShellProgram {
  /// Writes a shell script that every user may run.
  ///
  /// Another process writes it: a program that a concurrent test forks could inherit our
  /// descriptor, and a file that is open for writing cannot be executed (ETXTBSY of execve(2)).
  package static func write(_ script: String, to path: String) throws {
    let draft = path + ".draft"
    try ("#!/bin/sh\n" + script + "\n").write(toFile: draft, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: draft) }
    let writer = try Running(
      "/usr/bin/install", ["-m", "755", draft, path], [:], output: "/dev/null")
    guard writer.waitForEnd() == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
