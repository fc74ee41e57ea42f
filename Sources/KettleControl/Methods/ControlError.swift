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
  }

  package var code: Code
  /// The value that belongs to the code: a method, a field, a version, an id.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
