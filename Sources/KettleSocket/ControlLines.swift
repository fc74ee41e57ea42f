import NIOCore

/// The lines that come in on one connection. They can be gone through once, by one task.
///
/// It ends when the other end has said everything or is gone, and throws
/// `ControlSocketError.lineTooLong` when it does not keep to the limit.
package struct ControlLines: AsyncSequence, Sendable {
  package typealias Element = [UInt8]
  package typealias Failure = ControlSocketError

  typealias Producer = NIOThrowingAsyncSequenceProducer<
    [UInt8], any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
  >

  /// Sent through the pipeline when lines were taken and more may be read.
  struct MoreWanted: Sendable {}

  struct Demand: NIOAsyncSequenceProducerDelegate {
    let channel: any Channel

    func produceMore() { channel.pipeline.fireUserInboundEventTriggered(MoreWanted()) }

    /// The one who read may still want to write; the connection is closed by its owner.
    func didTerminate() {}
  }

  private let producer: Producer

  /// Makes the sequence and the end at which `LineHandler` puts the lines in.
  static func make(on channel: any Channel) -> (lines: ControlLines, source: Producer.Source) {
    let new = Producer.makeSequence(
      // Lines may be large, so few are kept; reading goes on before the last is taken.
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
        // The task was cancelled: nobody wants the rest.
        return nil
      }
    }
  }
}
