/// Where `-d` and `-o` put a file.
struct OutputPath: Hashable {
  /// As typed; nil for the downloads directory.
  var directory: String?
  /// nil for the name that the server gives.
  var name: String?

  /// - Parameters:
  ///   - directory: the value of `-d`.
  ///   - output: the value of `-o`, a name or a path. A path is relative to `directory`, and
  ///     without one to the directory of the command.
  init(directory: String?, output: String?) {
    self.directory = directory
    guard let output else { return }
    guard let slash = output.lastIndex(of: "/") else {
      name = output
      return
    }
    let last = output[slash...].dropFirst()
    name = last.isEmpty ? nil : String(last)
    let folder = slash == output.startIndex ? "/" : String(output[..<slash])
    self.directory = directory.map { folder.hasPrefix("/") ? folder : $0 + "/" + folder } ?? folder
  }
}
