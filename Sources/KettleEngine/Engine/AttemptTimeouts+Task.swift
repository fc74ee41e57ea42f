import KettleModel

extension AttemptTimeouts {
  /// Returns the timeouts with the program's limit on silence, applied to the whole request. A slow
  /// body is not given up before that either. The time for connecting remains our own decision:
  /// another connection is soon tried.
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
