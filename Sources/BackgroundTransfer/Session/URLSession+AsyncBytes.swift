import Foundation

extension URLSession {
  /// The bytes of a response, as they arrive. Only one reader can read them.
  ///
  /// When the reader stops, the task is cancelled. Source: Apple's documentation of
  /// `URLSession.AsyncBytes`.
  ///
  /// ```swift
  /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
  /// var count = 0
  /// for try await byte in bytes where byte == 10 { count += 1 }
  /// print("\(count) lines")
  /// ```
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// A byte.
    public typealias Element = UInt8

    /// The task that fetches the bytes.
    public let task: URLSessionDataTask
    private let chunks: AsyncThrowingStream<[UInt8], any Error>

    init(task: URLSessionDataTask, chunks: AsyncThrowingStream<[UInt8], any Error>) {
      self.task = task
      self.chunks = chunks
    }

    /// Makes the one reader.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(chunks: chunks.makeAsyncIterator())
    }

    /// The lines of the response as text, without their ends and without empty lines.
    ///
    /// A line ends with LF, CR or both. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// ```swift
    /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
    /// for try await line in bytes.lines { print(line) }
    /// ```
    public var lines: Lines { Lines(bytes: self) }

    /// Reads bytes.
    ///
    /// ```swift
    /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
    /// var reader = bytes.makeAsyncIterator()
    /// print(try await reader.next() ?? 0)
    /// ```
    public struct AsyncIterator: AsyncIteratorProtocol {
      @usableFromInline var chunk: [UInt8] = []
      @usableFromInline var position = 0
      private var chunks: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator

      init(chunks: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator) {
        self.chunks = chunks
      }

      /// The next byte; nil at the end.
      ///
      /// - Throws: `URLError` when the task fails.
      @inlinable
      public mutating func next() async throws -> UInt8? {
        // Fast, because it is called for every byte.
        guard position < chunk.count else { return try await firstOfNextChunk() }
        defer { position += 1 }
        return chunk[position]
      }

      @usableFromInline
      mutating func firstOfNextChunk() async throws -> UInt8? {
        while let next = try await chunks.next() {
          guard let first = next.first else { continue }
          chunk = next
          position = 1
          return first
        }
        chunk = []
        position = 0
        return nil
      }
    }

    /// The lines of a response.
    ///
    /// ```swift
    /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
    /// for try await line in bytes.lines where line.hasPrefix("data:") { print(line) }
    /// ```
    public struct Lines: AsyncSequence, Sendable {
      /// A line.
      public typealias Element = String

      let bytes: AsyncBytes

      /// Makes the one reader.
      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(bytes: bytes.makeAsyncIterator())
      }

      /// Reads lines.
      ///
      /// ```swift
      /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
      /// var reader = bytes.lines.makeAsyncIterator()
      /// print(try await reader.next() ?? "")
      /// ```
      public struct AsyncIterator: AsyncIteratorProtocol {
        private var bytes: AsyncBytes.AsyncIterator

        init(bytes: AsyncBytes.AsyncIterator) { self.bytes = bytes }

        /// The next line that is not empty; nil at the end.
        ///
        /// - Throws: `URLError` when the task fails.
        public mutating func next() async throws -> String? {
          var line: [UInt8] = []
          while let byte = try await bytes.next() {
            guard byte == 10 || byte == 13 else {
              line.append(byte)
              continue
            }
            // The end of an empty line, or the second half of CR LF.
            if line.isEmpty { continue }
            return String(decoding: line, as: UTF8.self)
          }
          return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
        }
      }
    }
  }
}
