import Glibc
import KettleAria2
import KettleModel
import KettleSystem

/// Makes directories for clients that may store files only below certain ones.
enum ConfinedDirectory {
  /// Makes a directory and those above it, unless they exist. Throws if its real path, with all
  /// links resolved, is outside of `roots`.
  ///
  /// - Parameter path: absolute, without `.` and `..`.
  static func make(_ path: String, below roots: [String]) throws(RPCError) {
    let real = roots.map { realPath(ofExisting: $0) }
    let target = realPath(ofExisting: path)
    guard real.contains(where: { target == $0 || target.hasPrefix($0 == "/" ? "/" : $0 + "/") })
    else {
      throw .refused("The directory \(shown(path)) leads out of the directories that are allowed")
    }
    var made = ""
    for part in target.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o777) == 0 { continue }
      let problem = SystemError(errno)
      if problem.code == EEXIST { continue }
      // Directories above that exist may be unwritable.
      if problem.code == EACCES || problem.code == EROFS, access(made, F_OK) == 0 { continue }
      throw .refused("The directory \(shown(path)) cannot be made: \(problem.message)")
    }
  }

  private static func shown(_ path: String) -> String { path.sanitizedForDisplay(limit: 200) }

  /// Resolves the links in the part of a path that exists.
  private static func realPath(ofExisting path: String) -> String {
    var existing = path[...]
    var missing: [Substring] = []
    while !existing.isEmpty {
      if let resolved = realpath(String(existing), nil) {
        defer { free(resolved) }
        let start = String(cString: resolved)
        let rest = missing.reversed().joined(separator: "/")
        if rest.isEmpty { return start }
        return start == "/" ? "/" + rest : start + "/" + rest
      }
      guard let slash = existing.lastIndex(of: "/") else { break }
      missing.append(existing[existing.index(after: slash)...])
      existing = existing[..<slash]
    }
    return "/" + missing.reversed().joined(separator: "/")
  }
}
