import KettleModel

extension SessionID {
  /// 1 to 255 bytes; an environment variable carries it, which ends at a NUL.
  var isUsable: Bool {
    (1...255).contains(rawValue.utf8.count) && !rawValue.utf8.contains(0)
  }
}

extension SessionOptions {
  /// The first part that no service may act on; nil if all are valid.
  var refusedPart: String? {
    if let connectionsPerHostMax, connectionsPerHostMax < 1 { return "connectionsPerHostMax" }
    guard let launch else { return nil }
    if !launch.executablePath.isAbsolutePath { return "launch.executablePath" }
    if let directory = launch.directory, !directory.isAbsolutePath { return "launch.directory" }
    let byteCount = launch.arguments.reduce(0) { $0 + $1.utf8.count + 1 }
    guard byteCount <= LaunchCommand.argumentByteCountMax,
      !launch.arguments.contains(where: { $0.utf8.contains(0) })
    else { return "launch.arguments" }
    return nil
  }
}

extension LaunchCommand {
  /// MAX_ARG_STRLEN of Linux, which bounds one argument (execve(2)).
  fileprivate static let argumentByteCountMax = 131_072
}

extension ControlRequest {
  /// Returns the problem with the name of a program's session.
  static func problem(ofProgramsSession session: SessionID) -> ControlError? {
    session.isUsable && session != .kettle
      ? nil : ControlError(.refusedSpec, "params.session")
  }
}
