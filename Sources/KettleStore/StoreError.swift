import GRDB
import Glibc
import KettleModel
import KettleSystem

/// Why the store cannot be used.
package struct StoreError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// A later version of Kettle created it; using it would lose data that only that version knows.
    case newer
    /// The file or its directory belongs to another user.
    case wrongOwner
    case diskFull
    /// Another program holds a lock on it.
    case busy
    case unreadable
    case unwritable
  }

  package var code: Code
  package var path: String
  /// The message of SQLite or the kernel.
  package var detail: String?

  /// What failed, on what, and what to do; without a period.
  package var sentence: String {
    let shown = "\"" + path.sanitizedForDisplay() + "\""
    let said = detail.map { " (\($0))" } ?? ""
    return switch code {
    case .newer:
      "The store \(shown) was made by a newer Kettle\(said); install that version again, "
        + "or move the file away to begin with an empty list"
    case .wrongOwner:
      "The store \(shown) belongs to another user\(said); run Kettle as that user, "
        + "or set XDG_STATE_HOME to a directory of your own"
    case .diskFull:
      "The disk of the store \(shown) is full\(said); free some space"
    case .busy:
      "The store \(shown) is in use by another program\(said); end that program"
    case .unreadable:
      "The store \(shown) cannot be read\(said); check its disk and its permissions"
    case .unwritable:
      "The store \(shown) cannot be written\(said); check its disk and its permissions"
    }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String { sentence }
}

extension StoreError {
  /// Maps an SQLite error to an error of the store at a path.
  ///
  /// - Parameter code: the code to use when SQLite's own is not more specific.
  init(_ error: any Error, at path: String, otherwise code: Code) {
    guard let error = error as? DatabaseError else {
      self.init(code: code, path: path, detail: "\(error)")
      return
    }
    let meaning: Code =
      switch error.resultCode {
      case .SQLITE_FULL: .diskFull
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      // SQLite reports these when the disk has no room for the index of its log.
      case .SQLITE_IOERR, .SQLITE_CANTOPEN: Self.isFull(diskOf: path) ? .diskFull : code
      default: code
      }
    // The message without the statement, which contains the user's values.
    self.init(
      code: meaning, path: path,
      detail: error.message ?? "SQLite error \(error.resultCode.rawValue)")
  }

  /// Whether the disk has no room for the smallest store, which needs more with its log and index.
  private static func isFull(diskOf path: String) -> Bool {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return false }
    return UInt64(status.f_bavail) < 65_536 / max(1, UInt64(status.f_frsize))
  }

  /// Maps errno to a store error.
  static func ofKernel(at path: String, otherwise code: Code) -> StoreError {
    ofKernel(SystemError(errno), at: path, otherwise: code)
  }

  static func ofKernel(
    _ error: SystemError, at path: String, otherwise code: Code
  ) -> StoreError {
    StoreError(
      code: error.code == ENOSPC ? .diskFull : code, path: path, detail: error.message)
  }
}

extension DatabaseError {
  /// Whether the file itself is at fault, rather than the disk, a lock or memory.
  var meansDamage: Bool {
    switch resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_MISMATCH,
      .SQLITE_SCHEMA, .SQLITE_CONSTRAINT, .SQLITE_TOOBIG:
      true
    default: false
    }
  }
}
