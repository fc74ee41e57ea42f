import KettleModel

extension AttemptTimeouts {
  /// The silence that a program allows its requests holds for all of a request. A body that only
  /// trickles is not given up before that either, but making a connection stays our own business:
  /// another one is soon tried.
  func bounded(by task: TaskOptions?) -> AttemptTimeouts {
    guard let silence = task?.requestTimeoutMilliseconds, silence > 0 else { return self }
    var bounded = self
    bounded.idleMilliseconds = silence
    bounded.headMilliseconds = silence
    bounded.connectMilliseconds = min(connectMilliseconds, silence)
    bounded.slowMilliseconds = max(slowMilliseconds, silence)
    return bounded
  }
}
