/**
 * Copyright 2024 The Authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 */

#################################
# Keeps the state of a fleet of queues
# and the alarms on them.
#################################

resource "aws_sqs_queue" "this" {
}
