import KettleConfiguration
import KettleControl
import KettleModel

/// Sentences about the configuration file and the RPC.
extension Sentences {
  static func noConfiguration(_ path: String) -> String {
    "There is no \(quoted(path, limit: 4096)), so the defaults apply"
  }

  static func configurationIsGood(_ path: String) -> String {
    "Every setting in \(quoted(path, limit: 4096)) is valid"
  }

  static func notConfigured(_ key: String, path: String) -> String {
    "\(quoted(path, limit: 4096)) does not set \(quoted(key)), so its default applies; "
      + "\"man kettle-config\" lists the keys"
  }

  static func appliesLater(_ table: String) -> String {
    "The changes in [\(table.sanitizedForDisplay(limit: 100))] apply after \"kettle daemon stop\""
  }

  // MARK: What the file names

  static func missingProgram(_ program: String, key: String) -> String {
    "The program \(quoted(program, limit: 4096)) of \(quoted(key)) cannot be started; install it, "
      + "or correct its path"
  }

  static func missingDirectory(_ path: String, key: String) -> String {
    "The directory \(quoted(path, limit: 4096)) of \(quoted(key)) does not exist; make it"
  }

  static func unusableHeaders(_ path: String, host: String, _ detail: String) -> String {
    "The file \(quoted(path, limit: 4096)) with headers for \(quoted(host)) cannot be used "
      + "(\(detail.sanitizedForDisplay(limit: 200))); until then nothing is sent to that host"
  }

  static let rpcWithoutSecret =
    "The RPC is enabled but has no secret, so it stays closed; \"kettle rpc enable\" makes one"

  static let valueWithHyphen =
    "A value that begins with a hyphen stands behind \"--\", as in "
    + "\"kettle config set hooks.completed -- sh -c '...'\""

  /// What makes a file usable that holds transfers back.
  static let useOfConfiguration =
    "\"kettle config check\" says why; correct it and run \"kettle config reload\", or go on "
    + "without it with \"kettle config reload --without-file\""

  static func of(_ error: ConfigurationError) -> String {
    switch error.what {
    case .problem(let problem): problem.sentence(path: error.path)
    case .unwritable(let detail):
      "\(quoted(error.path, limit: 4096)) cannot be written "
        + "(\(detail.sanitizedForDisplay(limit: 200))); nothing was changed"
    case .locked:
      "\(quoted(error.path, limit: 4096)) is being changed by another command, so nothing was "
        + "changed; try again"
    }
  }

  // MARK: RPC

  static let rpcIsClosed = "The RPC is closed"
  static let noSecret = "There is no secret yet; \"kettle rpc enable\" makes one"

  /// What to enter in a front end.
  static func rpcInstructions(port: Int, secret: String) -> [String] {
    [
      "The RPC of aria2 is open on port \(port) of this machine. In AriaNg, enter this under",
      "AriaNg Settings, RPC:",
      "  Address   127.0.0.1:\(port)/jsonrpc",
      "  Protocol  HTTP or WebSocket",
      "  Secret    \(secret)",
      "Programs that speak XML-RPC use http://127.0.0.1:\(port)/rpc.",
    ]
  }

  static func rpcProblem(_ status: DescribeRPC.Result) -> String {
    status.problem?.sanitizedForDisplay(limit: 1000)
      ?? "The RPC is closed; \"kettle config check\" may say why"
  }

  static func rpcStatus(_ status: DescribeRPC.Result) -> [String] {
    guard let port = status.port else {
      if status.problem != nil { return [rpcProblem(status)] }
      return ["The RPC is closed; \"kettle rpc enable\" opens it"]
    }
    func list(_ texts: [String]) -> String {
      texts.map { $0.sanitizedForDisplay(limit: 300) }.joined(separator: ", ")
    }
    let origins = status.allowedOrigins.isEmpty ? "" : ", " + list(status.allowedOrigins)
    return [
      "The RPC is open on port \(port) of this machine",
      "Directories: \(list(status.directories))",
      "Pages: those of this machine and extensions of browsers\(origins)",
    ]
  }
}
