import KettleModel

/// How the service was started, which decides when it ends.
package enum ServiceStart: Hashable, Sendable {
  /// By a command, the dashboard or a program.
  case byCommand
  /// As a unit of the user's service manager, which ends at the last logout unless the user
  /// lingers.
  case bySystemd(lingers: Bool)
}

extension ServiceStart: Codable {
  private enum CodingKeys: String, CodingKey { case systemd, lingers }

  /// `{"systemd":false}`, or `{"systemd":true,"lingers":…}`.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard try container.decode(Bool.self, forKey: .systemd) else {
      self = .byCommand
      return
    }
    self = .bySystemd(lingers: try container.decode(Bool.self, forKey: .lingers))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .byCommand: try container.encode(false, forKey: .systemd)
    case .bySystemd(let lingers):
      try container.encode(true, forKey: .systemd)
      try container.encode(lingers, forKey: .lingers)
    }
  }
}

/// Reads the configuration file again and applies what can change while the service runs.
package enum ReloadConfiguration: ControlMethod {
  package static let name = "service.reload"

  package struct Params: Codable, Hashable, Sendable {
    /// Goes on with the defaults if the file cannot be read: transfers that it holds back start.
    package var withoutFile: Bool?

    package init(withoutFile: Bool? = nil) { self.withoutFile = withoutFile }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// One sentence for each setting that has no effect, and one if the settings in use stay in
    /// effect.
    package var notices: [String]
    /// The tables of the file that changed and apply from the next start of the service on.
    package var pending: [String]

    package init(notices: [String], pending: [String]) {
      self.notices = notices
      self.pending = pending
    }
  }
}

/// Describes the interface for clients of aria2.
package enum DescribeRPC: ControlMethod {
  package static let name = "rpc.status"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// nil while it is closed.
    package var port: Int?
    /// Why it is closed although it is enabled.
    package var problem: String?
    /// Where downloads may go.
    package var directories: [String]
    package var allowedOrigins: [String]

    package init(
      port: Int? = nil, problem: String? = nil, directories: [String] = [],
      allowedOrigins: [String] = []
    ) {
      self.port = port
      self.problem = problem
      self.directories = directories
      self.allowedOrigins = allowedOrigins
    }
  }
}

/// The reason why the service refused a request: the `error` of a JSON-RPC reply.
///
/// Contains codes and values, never English; the client makes the sentence
/// (`Sentences` of `KettleCommands`).
package struct ControlError: Error, Codable, Hashable, Sendable {
  /// The numbers of JSON-RPC 2.0, section 5.1, and Kettle's own from -32000 down.
  package enum Code: Int, Codable, Sendable, CaseIterable {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
    /// The two sides use different versions; `message` is the service's.
    case versionMismatch = -32000
    /// A request arrived before `hello`.
    case helloMissing = -32001
    case unknownTransfer = -32002
    /// The store cannot record it (disk full, for example); nothing was queued.
    case cannotKeep = -32003
    /// The request cannot be stored; `message` names the invalid part.
    case refusedSpec = -32004
    /// The service is ending.
    case stopping = -32005
    /// Another program is connected for this session; `message` is its process identifier.
    case sessionInUse = -32006
    /// No session has this name; `message` is the name.
    case unknownSession = -32007
    /// Only the program connected to a session may send this request.
    case notAttached = -32008
    /// The maximum number of connections is open; `message` is that number. The service sends it
    /// without a request and closes the connection.
    case tooManyConnections = -32009
    /// The configuration file has no queue of this name; `message` is the name.
    case unknownQueue = -32010
    /// No transfer of this number is a collection with a complete list; `message` is the number.
    case unknownCollection = -32011
    /// This machine is in no fleet.
    case noFleet = -32012
    /// The list of a fleet does not offer it; `message` is the method or the part of the request.
    case notOffered = -32013
    /// The fleet's queue cannot be asked, or it refused; `message` says why.
    case fleet = -32014
  }

  package var code: Code
  /// The value that belongs to the code: a method, a field, a version, an id.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
