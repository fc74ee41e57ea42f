import KettleModel

/// The parameters of one row in a statement of `TransferSQL`.
struct TransferParameters {
  private let statement: StoreStatement
  private let firstIndex: Int

  /// - Parameter rowIndex: the index of the row among those that the statement writes together.
  init(_ statement: StoreStatement, rowIndex: Int = 0) {
    self.statement = statement
    firstIndex = TransferSQL.parameter(.id, rowIndex: rowIndex)
  }

  func bind(_ record: TransferRecord, _ row: TalliedRow, encoder json: StoredJSON) throws {
    bind(record.spec)
    bind(record, row)
    try bindCoded(record, json)
  }

  private func bind(_ record: TransferRecord, _ row: TalliedRow) {
    bind(record.id.rawValue, .id)
    bind(record.taskIdentifier, .taskIdentifier)
    bind(record.state.rawValue, .state)
    bind(record.reason?.rawValue, .reason)
    bind(record.goesOnAt?.millisecondsSince1970, .goesOnAt)
    bind(record.queuePosition, .queuePosition)
    bind(record.createdAt.millisecondsSince1970, .createdAt)
    bind(record.finishedAt?.millisecondsSince1970, .finishedAt)
    bind(row.bytesReceived, .bytesReceived)
    bind(row.bytesExpected, .bytesExpected)
    bind(record.freshStart?.rawValue, .freshStart)
    bind(Int64(record.retryCount), .retryCount)
    bind(record.finishNumber, .finishNumber)
    bind(row.isDormant ? 1 : 0, .isDormant)
  }

  private func bind(_ spec: TransferSpec) {
    bind(spec.session.rawValue, .session)
    statement.bind(spec.priority.value, at: index(.priority))
    bind(spec.title, .title)
    bind(spec.url.text, .url)
    bind(spec.directory, .directory)
    bind(spec.name?.text, .name)
    bind(spec.connections.map(Int64.init), .connections)
    bind(spec.limitBytesPerSecond, .limitBytesPerSecond)
    bind(spec.notBefore?.millisecondsSince1970, .notBefore)
    bind(spec.checksum?.text, .checksum)
    bind(spec.caCertificatePath, .caCertificatePath)
    bind(spec.onConflict.rawValue, .onConflict)
    bind(spec.beginning.rawValue, .beginning)
  }

  private func bindCoded(_ record: TransferRecord, _ json: StoredJSON) throws {
    let spec = record.spec
    if !spec.headers.isEmpty { bind(try json.text(spec.headers), .headers) }
    if let login = spec.login { bind(try json.text(login), .login) }
    if !spec.trustedServers.isEmpty { bind(try json.text(spec.trustedServers), .trustedServers) }
    let options = StoredOptions(spec)
    if !options.isEmpty { bind(try json.text(options), .options) }
    if let request = spec.request { bind(try json.text(request), .request) }
    if let task = spec.task { bind(try json.text(task), .task) }
    if let status = record.task { bind(try json.text(status), .taskStatus) }
    if let resumeData = record.resumeData {
      bind(try json.text(resumeData), .resumeData)
    }
    if let finished = record.finishedFile {
      bind(try json.text(finished), .finishedFile)
    }
    if let failure = record.failure { bind(try json.text(failure), .failure) }
  }

  private func index(_ column: TransferColumn) -> Int { firstIndex + column.rawValue }

  private func bind(_ value: Int64?, _ column: TransferColumn) {
    statement.bind(value, at: index(column))
  }

  private func bind(_ value: String?, _ column: TransferColumn) {
    statement.bind(value, at: index(column))
  }
}
