import ArgumentParser

/// `kettle native-host`: the same as the program `kettle-native-host`.
struct NativeHostCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "native-host", abstract: "Answer the extension of a browser.",
    shouldDisplay: false)

  static var isForThisMachineOnly: Bool { true }

  /// Chromium passes the origin of the extension, Firefox the path of the manifest and the id of
  /// the extension. Browsers start the host only for extensions that the manifest names.
  @Argument(parsing: .captureForPassthrough)
  var words: [String] = []

  func run(in context: CommandContext) async throws -> ExitCode {
    try await NativeHost(context: context).run()
  }
}
