module example.org/failuretest

go 1.21
