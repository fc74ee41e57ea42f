import KettleModel

/// Where the file of a download goes: a directory, and a name that may be unknown yet.
package struct RPCPlace: Hashable, Sendable {
  /// An absolute path without `.` and `..`.
  package let directory: String
  /// Front ends and extensions pass on what pages and servers have chosen.
  package let name: FileName?

  /// Combines `dir` and `out`. Throws if the result is outside all `roots`.
  ///
  /// Compares paths as text and does not resolve symbolic links. The code that creates the
  /// directory must check the resolved path too.
  ///
  /// - Parameters:
  ///   - roots: absolute paths without a slash at the end.
  ///   - base: the directory of downloads that name none.
  package init(
    directory: String?, output: String?, base: String, home: String, roots: [String]
  ) throws(RPCError) {
    var path = directory ?? base
    if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    guard path.hasPrefix("/") else {
      throw .refused("The directory \"\(path.sanitizedForDisplay(limit: 200))\" is not absolute")
    }
    var parts = try Self.parts(of: path)
    var name: FileName?
    if let output {
      guard !output.hasPrefix("/"), !output.hasSuffix("/") else {
        throw .refused(
          "The name \"\(output.sanitizedForDisplay(limit: 200))\" is no path below the directory")
      }
      parts += try Self.parts(of: output)
      name = parts.popLast().flatMap { FileName(foreign: $0) }
      guard name != nil else {
        throw .refused("The name \"\(output.sanitizedForDisplay(limit: 200))\" cannot be used")
      }
    }
    let whole = "/" + parts.joined(separator: "/")
    guard roots.contains(where: { whole == $0 || whole.hasPrefix($0 == "/" ? "/" : $0 + "/") })
    else {
      throw .refused(
        """
        The directory \(whole.sanitizedForDisplay(limit: 200)) is not allowed; \
        add it to rpc.directories in the configuration file
        """)
    }
    self.directory = whole
    self.name = name
  }

  private static func parts(of path: String) throws(RPCError) -> [String] {
    let parts = path.split(separator: "/").map(String.init).filter { $0 != "." }
    guard !parts.contains("..") else {
      throw .refused("The path \"\(path.sanitizedForDisplay(limit: 200))\" contains \"..\"")
    }
    return parts
  }
}
