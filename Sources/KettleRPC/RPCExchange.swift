import KettleAria2
import NIOCore

/// One request of a client, and the way back to it.
package struct RPCExchange: Sendable {
  package enum Request: Hashable, Sendable {
    case json([UInt8])
    case xml([UInt8])
    /// The query of a GET request.
    case query(String)
  }

  package let request: Request
  package let client: RPCClient
  let answer: @Sendable (RPCResponse?) -> Void

  /// Sends the response. The client's next request is read after it.
  package func respond(_ response: RPCResponse) { answer(response) }

  /// Closes the connection instead.
  package func refuse() { answer(nil) }
}

package struct RPCResponse: Hashable, Sendable {
  package enum MediaType: String, Hashable, Sendable {
    case json = "application/json-rpc"
    case script = "text/javascript"
    case xml = "text/xml"
  }

  package var httpStatus: Int
  package var mediaType: MediaType
  package var bytes: [UInt8]

  package init(httpStatus: Int, mediaType: MediaType, bytes: [UInt8]) {
    self.httpStatus = httpStatus
    self.mediaType = mediaType
    self.bytes = bytes
  }
}

/// The other end of one connection.
package struct RPCClient: Sendable {
  /// The address without the port.
  package let address: String
  let channel: any Channel
  let audience: RPCAudience?

  /// Waits, unless the connection ends before.
  func pause(milliseconds: Int64) async {
    let timer = channel.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {}
    channel.closeFuture.whenComplete { _ in timer.cancel() }
    try? await timer.futureResult.get()
  }

  /// From now on the client is sent notifications, if it has a WebSocket.
  package func joinAudience() { audience?.join(channel) }
}
