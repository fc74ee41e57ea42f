import CKettleLinux
import Glibc
import KettleControl
import KettleStarter
import KettleSystem
import NIOCore
import NIOPosix

/// One connection between a client and the service: lines in, lines out.
///
/// The owner closes it. As a safety net, releasing the last copy closes it too.
package struct ControlConnection: Sendable {
  /// The process that connected. It may have exited or passed the socket on since.
  package let peerProcessID: Int64
  package let lines: ControlLines
  private let owner: ChannelOwner

  init(peerProcessID: Int64, lines: ControlLines, channel: any Channel) {
    self.peerProcessID = peerProcessID
    self.lines = lines
    owner = ChannelOwner(channel: channel)
  }

  /// Sends one line, like `send(lines:)`.
  package func send(_ line: [UInt8]) async throws(ControlSocketError) {
    try await send(lines: [line])
  }

  /// Sends the lines, each with a line feed. Returns when the kernel has accepted all of them.
  ///
  /// It therefore waits while the other end does not read; `close` from another task ends the wait.
  /// Several tasks may send at once; lines are never interleaved.
  package func send(lines: [[UInt8]]) async throws(ControlSocketError) {
    let byteCount = lines.reduce(0) { $0 + $1.count + 1 }
    var buffer = owner.channel.allocator.buffer(capacity: byteCount)
    for line in lines {
      buffer.writeBytes(line)
      buffer.writeInteger(UInt8(ascii: "\n"))
    }
    do {
      try await owner.channel.writeAndFlush(buffer).get()
    } catch {
      throw ControlSocketError.closed
    }
  }

  /// Closes the connection in both directions. Idempotent.
  package func close() async {
    // It can only fail because the channel is already closed.
    try? await owner.channel.close().get()
  }

  /// Closes the connection after `budget` unless the deadline is cancelled first.
  package func close(after budget: Duration) -> ControlDeadline {
    let channel = owner.channel
    return ControlDeadline(
      scheduled: channel.eventLoop.scheduleTask(in: budget.timeAmount) {
        channel.close(promise: nil)
      })
  }
}

/// A scheduled close that can be cancelled.
package struct ControlDeadline: Sendable {
  fileprivate let scheduled: Scheduled<Void>

  package func cancel() { scheduled.cancel() }
}

/// Closes the channel when the last reference is released.
private final class ChannelOwner: Sendable {
  let channel: any Channel

  init(channel: any Channel) { self.channel = channel }

  deinit { channel.close(promise: nil) }
}

// MARK: - Connecting

extension ControlConnection {
  /// Connects to the service at `path` and checks that it runs as the same user, because another
  /// user may have claimed the path first.
  package static func connect(
    to path: String, lineByteCountMax: Int = LineDecoder.byteCountMaxFromService,
    userID: Int64 = Int64(geteuid())
  ) async throws(ControlSocketError) -> ControlConnection {
    let descriptor = try SocketAddressUnix.connectedSocket(path, userID: userID)
    let processID = Int64(kettle_peer_pid(descriptor.number))
    return try await adopt(
      descriptor, lineByteCountMax: lineByteCountMax, peerProcessID: processID)
  }
}

// MARK: - Adopting a socket

extension ControlConnection {
  /// Takes ownership of a connected stream socket to a program that forwards the lines. The
  /// connection closes it. The user at the other end is unknown.
  package static func adopt(
    _ descriptor: consuming OwnedDescriptor,
    lineByteCountMax: Int = LineDecoder.byteCountMaxFromService
  ) async throws(ControlSocketError) -> ControlConnection {
    try await adopt(
      descriptor, lineByteCountMax: lineByteCountMax, peerProcessID: -1)
  }

  static func adopt(
    _ descriptor: consuming OwnedDescriptor, lineByteCountMax: Int, peerProcessID: Int64
  ) async throws(ControlSocketError) -> ControlConnection {
    let limits = LineHandler.Limits(lineByteCountMax: lineByteCountMax, partialLineBudget: nil)
    // NIO owns the descriptor from here on, even if the call fails.
    let number = descriptor.release()
    do {
      return try await ClientBootstrap(group: ControlEventLoop.group)
        .channelOption(.autoRead, value: false)
        .withConnectedSocket(number) { channel in
          channel.eventLoop.makeCompletedFuture {
            let (lines, source) = ControlLines.make(on: channel)
            try channel.pipeline.syncOperations.addHandler(
              LineHandler(limits: limits, source: source, activated: nil))
            return ControlConnection(
              peerProcessID: peerProcessID, lines: lines, channel: channel)
          }
        }
    } catch {
      throw ControlSocketError.closed
    }
  }
}

/// The lines received on one connection. The sequence can be iterated once, by one task.
///
/// It ends when the other end closes its sending half or disconnects. It throws
/// `ControlSocketError.lineTooLong` when a line exceeds the limit.
package struct ControlLines: AsyncSequence, Sendable {
  package typealias Element = [UInt8]
  package typealias Failure = ControlSocketError

  typealias Producer = NIOThrowingAsyncSequenceProducer<
    [UInt8], any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
  >

  /// Sent through the pipeline when lines were consumed and more may be read.
  struct MoreWanted: Sendable {}

  struct Demand: NIOAsyncSequenceProducerDelegate {
    let channel: any Channel

    func produceMore() { channel.pipeline.fireUserInboundEventTriggered(MoreWanted()) }

    /// The consumer may still want to write; the owner closes the connection.
    func didTerminate() {}
  }

  private let producer: Producer

  /// Makes the sequence and the source into which `LineHandler` puts the lines.
  static func make(on channel: any Channel) -> (lines: ControlLines, source: Producer.Source) {
    let new = Producer.makeSequence(
      // Lines may be large, so few are buffered; reading resumes before the last one is consumed.
      backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8), finishOnDeinit: true,
      delegate: Demand(channel: channel))
    return (ControlLines(producer: new.sequence), new.source)
  }

  package func makeAsyncIterator() -> Iterator { Iterator(base: producer.makeAsyncIterator()) }

  package struct Iterator: AsyncIteratorProtocol {
    package typealias Failure = ControlSocketError

    fileprivate let base: Producer.AsyncIterator

    package func next() async throws(ControlSocketError) -> [UInt8]? {
      do {
        return try await base.next()
      } catch let error as ControlSocketError {
        throw error
      } catch {
        // The task was cancelled: the rest is not needed.
        return nil
      }
    }
  }
}

/// The one thread that all control sockets of a process share. When idle it sleeps in epoll_wait
/// and never wakes up by itself.
enum ControlEventLoop {
  static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}

extension Duration {
  var timeAmount: TimeAmount {
    let (seconds, attoseconds) = components
    let bounded = min(max(seconds, 0), 1_000_000_000)
    return .seconds(bounded) + .nanoseconds(attoseconds / 1_000_000_000)
  }
}
