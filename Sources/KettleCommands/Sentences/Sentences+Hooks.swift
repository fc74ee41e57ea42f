import KettleDashboard
import KettleModel

/// What is said about hooks.
extension Sentences {
  /// What is wrong with the command of `--then`.
  static func hook(_ text: String, _ problem: HookCommand.Problem) -> String {
    switch problem {
    case .empty: "--then names no program; write --then 'PROGRAM ARGUMENTS'"
    case .tooLong:
      "The command of --then is too long; write it into a script and give the script"
    case .notText: "The command of --then contains a NUL; leave it out"
    case .relativeProgram:
      "The program of --then \(quoted(text)) has a relative path; give an absolute one"
    case .placeholderForShell:
      "A shell would execute what stands for a placeholder in --then \(quoted(text)); "
        + "use a variable such as \"$KETTLE_PATH\" there"
    }
  }

  /// One line for each run of a transfer's hooks.
  static func hooks(_ runs: [HookRun], _ clock: any CommandClock) -> [String] {
    runs.map { "\($0.sentence), \(timeText($0.since, clock))" }
  }
}
