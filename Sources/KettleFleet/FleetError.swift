/// Why the fleet's queue did not answer.
package enum FleetError: Error, Hashable, Sendable {
  /// The database cannot be reached, or the exchange broke off. The detail is its message.
  case unreachable(String)
  /// The database refused; the detail is its message.
  case refused(String)
  /// Another service has joined under the name of this host since.
  case superseded
  /// There is no fleet in the database.
  case notInitialized
  /// The tables are of a version that this program does not know.
  case otherVersion(Int)
  /// The library that speaks to the database cannot be loaded, or is not built in.
  case noLibrary(String)
}

extension FleetError {
  /// Why the fleet's queue did not answer, as the end of a sentence.
  package var words: String {
    switch self {
    case .unreachable(let detail): "its database cannot be reached (\(detail))"
    case .refused(let detail): "its database refused (\(detail))"
    case .superseded: "another machine has joined it under the name of this one"
    case .notInitialized:
      "there is no fleet in the database, \"kettle fleet init\" makes one"
    case .otherVersion(let version):
      "its tables have version \(version), install the same version of kettle on all machines"
    case .noLibrary(let detail): "the library libpq cannot be used (\(detail))"
    }
  }
}
