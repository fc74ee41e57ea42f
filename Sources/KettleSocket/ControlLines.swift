import KettleStarter
import NIOCore

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
