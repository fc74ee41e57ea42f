/// The columns of the table `transfer`, in the order in which they are written and read.
enum TransferColumn: String, CaseIterable {
  case id, session
  case taskIdentifier = "task_identifier"
  case state, reason
  case goesOnAt = "goes_on_at"
  case priority
  case queuePosition = "queue_position"
  case title, url, directory, name
  case createdAt = "created_at"
  case finishedAt = "finished_at"
  case bytesReceived = "bytes_received"
  case bytesExpected = "bytes_expected"
  case connections
  case limitBytesPerSecond = "limit_bytes_per_second"
  case notBefore = "not_before"
  case checksum
  case caCertificatePath = "ca_certificate_path"
  case onConflict = "on_conflict"
  case beginning, headers, login
  case resumeData = "resume_data"
  case finishedFile = "finished_file"
  case failure
  case freshStart = "fresh_start"
  case retryCount = "retry_count"

  static let list = allCases.map(\.rawValue).joined(separator: ", ")

  /// Where the column stands in `list`.
  static let indexes: [TransferColumn: Int] = Dictionary(
    uniqueKeysWithValues: zip(allCases, 0...))
}

/// The statements on the table `transfer`.
enum TransferSQL {
  static let put: String = {
    let marks = TransferColumn.allCases.map { _ in "?" }.joined(separator: ", ")
    let updates = TransferColumn.allCases.dropFirst()
      .map { "\($0.rawValue) = excluded.\($0.rawValue)" }.joined(separator: ", ")
    return "INSERT INTO transfer (\(TransferColumn.list)) VALUES (\(marks)) "
      + "ON CONFLICT (id) DO UPDATE SET \(updates)"
  }()

  static let remove = "DELETE FROM transfer WHERE id = ?"

  static let all = "SELECT \(TransferColumn.list) FROM transfer ORDER BY id"
  /// By the table alone and from the other end, for a store whose indexes or middle are damaged.
  static let allUnindexed = "SELECT \(TransferColumn.list) FROM transfer NOT INDEXED ORDER BY id"
  static let allBackwards = allUnindexed + " DESC"
}
